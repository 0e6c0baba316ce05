"""Saving of factors as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore._version import __version__
from cdfscore.errors import FactorsError
from cdfscore.io.atomic import write_whole
from cdfscore.io.files import check_ending
from cdfscore.schemes.registry import schemes
from cdfscore.standardization.factors import Factors

FORMAT = "cdfscore factors"
VERSION = 3
#: The entry with the digest of all others; null after an edit by hand.
CONTENT = "content_digest"
#: Endings of files of factors: `load_factors` takes those with another for published factors.
ENDINGS = (".json", "")


def save_factors(factors: Factors, path: str | Path) -> None:
    """Save factors as JSON, one topic per line; `load_factors` restores the same bits.

    The file contains a digest of its content, so that `load_factors` refuses a damaged file.

    Raises `FactorsError` for a scheme that is not in the catalogue, since it could not be
    loaded, and `OutputError` for another ending than .json or if the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cdfscore import Standardizer, datasets, load_factors
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "factors.json"
    >>> save_factors(Standardizer("normal").fit(datasets.load_cranfield("ap")), file)
    >>> load_factors(file)
    <factors by normal for 225 topics, '1' to '225'>
    """
    check_ending(path, ENDINGS)
    write_whole({Path(path): encode_factors(factors)})


def encode_factors(factors: Factors) -> bytes:
    """Return the content of the file that `save_factors` writes."""
    scheme = factors.fitted.scheme
    if scheme.name not in schemes.names() or schemes.load(scheme.name) is not type(scheme):
        raise FactorsError(
            f"the scheme {scheme} is not in the catalogue, so that its factors could not be "
            "loaded; expected a scheme of cdfscore or of an entry point"
        )
    head = {
        "format": FORMAT,
        "version": VERSION,
        "cdfscore": __version__,
        "scheme": scheme.name,
        "settings": scheme.settings(),
        "constant": factors.constant,
        "missing": factors.missing,
        "fitted_missing": factors.fitted_missing,
        "unfitted": factors.unfitted,
        "measure": factors.measure,
        "systems": factors.systems,
        "digest": factors.digest,
        "scale": None if factors.scale is None else asdict(factors.scale),
        "positions": factors.positions,
        "dropped": factors.dropped,
        "unfitted_topics": dict(factors.unfitted_topics),
    }
    if factors.lower_is_better:  # only then, so that other files are as before
        lower = factors.lower_is_better
        head |= {
            "lower_is_better": lower if lower is True else list(lower),
            "reflect_at": factors.reflect_at,
        }
    if factors.doubts:
        head["doubts"] = list(factors.doubts)
    topics = {topic: _topic(factors, row) for row, topic in enumerate(factors.topics)}
    head |= {CONTENT: content_digest({**head, "topics": topics})}
    lines = [f" {json.dumps(key)}: {_json(value)}," for key, value in head.items()]
    rows = [f"  {json.dumps(topic)}: {_json(entry)}" for topic, entry in topics.items()]
    return "\n".join(["{", *lines, ' "topics": {', ",\n".join(rows), " }", "}", ""]).encode()


def content_digest(document: Mapping[str, Any]) -> str:
    """Return the digest of the entries of a document but `CONTENT`: of their names and values.

    Of the text that ``json.dumps`` makes of them without spaces, so that the layout of a file may
    be another, but not the order of its entries, nor how a number is written: 1 is not 1.0.
    """
    entries = {name: value for name, value in document.items() if name != CONTENT}
    text = json.dumps(entries, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _topic(factors: Factors, row: int) -> dict[str, Any]:
    entry: dict[str, Any] = {} if factors.n is None else {"n": int(factors.n[row])}
    for name, values in factors.fitted.parameters.items():
        present = values[row][~np.isnan(values[row])].tolist()
        entry[name] = present[0] if values.shape[-1] == 1 else present
    return entry


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)
