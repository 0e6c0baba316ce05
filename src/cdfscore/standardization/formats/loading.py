"""Loading of factors, from files of every format."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore._version import __version__
from cdfscore.errors import CdfscoreError, FactorsError, SchemeError, did_you_mean
from cdfscore.io.results.names import is_same_measure
from cdfscore.io.text import listed
from cdfscore.schemes.base import Scheme
from cdfscore.schemes.registry import schemes
from cdfscore.spelling import as_keywords, option, spelled_by
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.formats.checks import (
    check_entries,
    check_fitted,
    counts_of,
    parameters_of,
    scale_of,
)
from cdfscore.standardization.formats.saving import CONTENT, FORMAT, VERSION, content_digest
from cdfscore.standardization.formats.trec_eval import parse_trec_eval, text_of
from cdfscore.standardization.formats.webber_moffat import read_webber_moffat


def load_factors(
    path: str | Path,
    *,
    sds: str | Path | None = None,
    measure: str | None = None,
    scheme: str | Scheme | None = None,
) -> Factors:
    """Load factors: JSON of `save_factors`, or published means and standard deviations.

    The format is that of Webber and Moffat if the file ends in .tar.gz or .tgz, or `sds` is
    given. A file that starts with ``{`` is JSON. Any other file is one of ``trec_eval -Z``.
    Published factors may have several measures; `measure` names one, as trec_eval, ranx or
    ir_measures write it. They do not determine `scheme`: the default is normal (Webber and
    Moffat) or z (trec_eval).

    JSON contains a digest of its content, and a damaged file is refused. If the digest is null,
    the notes say so. The published formats have no digest.

    Raises `FactorsError` if the file is not valid or damaged, or if `measure` or `scheme` is not
    that of a JSON file, or the file names no measure.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cdfscore import Standardizer, datasets, save_factors
    >>> scores = datasets.load_cranfield("ap")
    >>> factors = Standardizer("normal").fit(scores, measure="AP")
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "factors.json"
    >>> save_factors(factors, file)
    >>> load_factors(file, measure="AP").transform(scores).equals(factors.transform(scores))
    True
    """
    factors = factors_in(path, sds=sds, measure=measure, scheme=scheme)
    if measure is not None and factors.measure is None:
        raise FactorsError(
            f"{path} does not name the measure of its factors, and {measure!r} was asked for; "
            f"leave {option('measure')} out, or fit factors that name it"
        )
    return factors


def factors_in(
    path: str | Path,
    *,
    sds: str | Path | None = None,
    measure: str | None = None,
    scheme: str | Scheme | None = None,
) -> Factors:
    """Load factors as `load_factors` does; those that name no measure may be of any."""
    file = Path(path)
    if sds is not None or file.name.lower().endswith((".tar.gz", ".tgz")):
        return _one(read_webber_moffat(file, sds, scheme=scheme or "normal"), measure, path)
    text = text_of(file)
    if file.suffix.lower() == ".csv":
        raise FactorsError(
            f"{path} is a CSV, of means or of scores, and has no factors; expected means with the "
            f"file of standard deviations, by {option('sds')}, or factors fitted to the scores"
        )
    if not text.lstrip().startswith("{"):
        return _one(parse_trec_eval(text, file, scheme or "z"), measure, path)
    factors = _from_json(text, str(path))
    asked = schemes.parse(scheme) if isinstance(scheme, str) else scheme
    if asked is not None and asked != factors.fitted.scheme:
        raise FactorsError(f"{path} has factors of {factors.fitted.scheme}, not of {asked}")
    own = factors.measure
    if measure is not None and own is not None and not is_same_measure(measure, own):
        raise FactorsError(f"{path} has factors of the measure {own}, not {measure}")
    return factors


def _one(by_measure: dict[str, Factors], measure: str | None, path: str | Path) -> Factors:
    if measure is None and len(by_measure) == 1:
        return next(iter(by_measure.values()))
    if measure is not None:
        same = [name for name in by_measure if is_same_measure(name, measure)]
        if measure in by_measure or same:
            return by_measure[measure if measure in by_measure else same[0]]
    names = listed([*by_measure])
    if measure is None:
        raise FactorsError(
            f"{path} has factors of {names}; no measure was named; expected one by "
            f"{option('measure')}"
        )
    raise FactorsError(
        f"{path} has factors of {names}; there is no {measure!r}{did_you_mean(measure, by_measure)}"
    )


def _from_json(text: str, source: str) -> Factors:
    try:
        document = json.loads(
            text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant
        )
        with spelled_by(as_keywords):  # the file has the mistake, not an option
            return _factors(document)
    except json.JSONDecodeError as error:
        raise FactorsError(f"{source}, line {error.lineno}: not JSON: {error.msg}") from error
    except CdfscoreError as error:
        raise FactorsError(f"{source}: {error}") from error
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise FactorsError(f"{source} is damaged: {error}") from error


def _factors(document: dict[str, Any]) -> Factors:
    if document.get("format") != FORMAT:
        raise FactorsError(f"this is not a file of factors; expected format {FORMAT!r}")
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        newer = type(version) is int and version > VERSION
        raise FactorsError(
            f"this is version {version!r} of the format, and cdfscore {__version__} reads version "
            f"{VERSION}; expected {'a newer cdfscore' if newer else 'this version'}"
        )
    if CONTENT not in document:
        raise FactorsError(f"there is no {CONTENT!r}; expected it next to 'format' and 'version'")
    check_entries(document)
    lower = document.get("lower_is_better", ())
    scheme, topics = _scheme(document["scheme"], document["settings"]), document["topics"]
    counts, systems = counts_of(topics), document["systems"]
    fitted = scheme.restore(parameters_of(scheme, topics))
    check_fitted(fitted, topics)
    found = Factors(
        fitted=fitted,
        topics=tuple(topics),
        n=None if counts is None else np.array(counts, dtype=np.int64),
        constant=document["constant"],
        missing=document["missing"],
        unfitted=document["unfitted"],
        measure=document["measure"],
        systems=None if systems is None else tuple(systems),
        digest=document["digest"],
        scale=scale_of(document["scale"]),
        positions=document["positions"],
        dropped=tuple(document["dropped"]),
        unfitted_topics=document["unfitted_topics"],
        fitted_missing=document["fitted_missing"],
        lower_is_better=lower is True or tuple(lower),
        reflect_at=float(document.get("reflect_at", 0)),
        without_digest=document[CONTENT] is None,
    )
    _check_content(document)
    return found


def _scheme(name: str, settings: dict[str, Any]) -> Scheme:
    """Return the scheme of a document; one that a package adds has to be installed."""
    try:
        scheme: Scheme = schemes.make(name, settings)
    except SchemeError as error:
        if name in schemes.names():
            raise
        raise SchemeError(f"{error}; if a package adds {name!r}, install it") from error
    return scheme


def _check_content(document: dict[str, Any]) -> None:
    """Raise `FactorsError` if the document has a digest of its content, and that of another.

    After all other checks, whose messages name the place.
    """
    expected = document.get(CONTENT)
    if expected is not None and expected != content_digest(document):
        raise FactorsError(
            f"the content does not match {CONTENT!r}, so the file was damaged or edited after it "
            f"was saved; expected the saved file, or null as {CONTENT!r} if it was edited on "
            "purpose"
        )


def _refuse_constant(name: str) -> float:
    raise FactorsError(f"{name} is not a JSON number; expected a finite number")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of a JSON object; raises `FactorsError` for a repeated name."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = Counter(name for name, _ in pairs)
        twice = next(name for name, count in names.items() if count > 1)
        raise FactorsError(f"{twice!r} appears twice; expected every name once")
    return found
