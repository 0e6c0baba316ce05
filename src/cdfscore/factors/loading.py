"""Factors from files of every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.catalogue import schemes
from cdfscore.errors import CdfscoreError, FactorsError
from cdfscore.factors.factors import Factors
from cdfscore.factors.saving import FORMAT, VERSION
from cdfscore.factors.trec_eval import read_trec_eval_factors
from cdfscore.factors.webber_moffat import read_webber_moffat
from cdfscore.schemes import Parameters, Scheme


def load_factors(
    path: str | Path,
    *,
    sds: str | Path | None = None,
    measure: str | None = None,
    scheme: str | Scheme | None = None,
) -> Factors:
    """Load factors: JSON of `save_factors`, or published means and standard deviations.

    A file that ends in .tar.gz or .tgz, or comes with `sds`, is of Webber and Moffat's form;
    one that starts with ``{`` is JSON; any other is a ``trec_eval -Z`` file. Published
    factors hold several measures, of which `measure` names one, and leave the choice of
    `scheme` open: normal (Webber and Moffat) or z (trec_eval) unless said otherwise.

    Raises `FactorsError` when the file is not what it should be, or when `measure` or
    `scheme` is not what a JSON file was made with.
    """
    file = Path(path)
    if sds is not None or file.name.lower().endswith((".tar.gz", ".tgz")):
        return _one(read_webber_moffat(file, sds, scheme=scheme or "normal"), measure, path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise FactorsError(f"{path} cannot be read: {reason}") from error
    if not text.lstrip().startswith("{"):
        return _one(read_trec_eval_factors(file, scheme=scheme or "z"), measure, path)
    factors = _from_json(text, str(path))
    asked = schemes.parse(scheme) if isinstance(scheme, str) else scheme
    if asked is not None and asked != factors.fitted.scheme:
        raise FactorsError(f"{path} has factors of {factors.fitted.scheme}, not of {asked}")
    if measure is not None and measure != factors.measure:
        raise FactorsError(f"{path} has factors of the measure {factors.measure}, not {measure}")
    return factors


def _one(by_measure: dict[str, Factors], measure: str | None, path: str | Path) -> Factors:
    if measure is None and len(by_measure) == 1:
        return next(iter(by_measure.values()))
    if measure not in by_measure:
        asked = "no measure was named" if measure is None else f"there is no {measure!r}"
        raise FactorsError(f"{path} has factors of {', '.join(by_measure)}; {asked}")
    return by_measure[measure]


def _from_json(text: str, source: str) -> Factors:
    try:
        document = json.loads(text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise FactorsError(f"{source}, line {error.lineno}: not JSON: {error.msg}") from error
    except FactorsError as error:
        raise FactorsError(f"{source}: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FactorsError(f"{source} is not a file of factors; expected format {FORMAT!r}")
    if document.get("version") != VERSION:
        raise FactorsError(
            f"{source} has version {document.get('version')!r} of the format; this cdfscore "
            f"reads version {VERSION}"
        )
    try:
        scheme = schemes.make(document["scheme"], document["settings"])
        topics = document["topics"]
        if not topics:
            raise FactorsError("it has no topics; expected at least one")
        counts = [topic.get("n") for topic in topics.values()]
        return Factors(
            fitted=scheme.restore(_parameters(scheme, topics)),
            topics=tuple(topics),
            n=None if None in counts else np.array(counts, dtype=np.int64),
            degenerate=document["degenerate"],
            missing=document["missing"],
            measure=document["measure"],
            systems=None if document["systems"] is None else tuple(document["systems"]),
            digest=document["digest"],
            positions=document["positions"],
            dropped=tuple(document["dropped"]),
        )
    except CdfscoreError as error:
        raise FactorsError(f"{source}: {error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise FactorsError(f"{source} is damaged: {type(error).__name__} {error}") from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of a JSON object; of two topics of a name, json would keep the last."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FactorsError(f"{twice!r} appears twice; expected every name once")
    return dict(pairs)


def _parameters(scheme: Scheme, topics: dict[str, dict[str, Any]]) -> Parameters:
    """Gather each parameter over all topics: shape (topics, k), NaN where k differs."""
    parameters = {}
    for name in scheme.parameter_names():
        rows = []
        for topic, entry in topics.items():
            value = entry.get(name)
            row = value if isinstance(value, list) else [value]
            if not row or not all(type(v) in (int, float) for v in row):
                raise FactorsError(
                    f"topic {topic!r} has {name} {value!r}; expected a number or numbers"
                )
            rows.append(row)
        width = max(map(len, rows))
        parameters[name] = np.array(
            [row + [np.nan] * (width - len(row)) for row in rows], dtype=np.float64
        )
    return parameters
