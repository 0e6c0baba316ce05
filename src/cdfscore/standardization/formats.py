"""Files of factors: JSON with every parameter, and the published tables of means and deviations."""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from itertools import count, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cdfscore import __version__
from cdfscore.common.catalogue import traces
from cdfscore.common.files import (
    GZIP,
    check_ending,
    path_of,
    read_bytes,
    readable,
    refuse_others,
    too_sparse,
    unpacked,
    with_one_line_end,
    without_marks,
    write_whole,
)
from cdfscore.common.text import MODELS, SYSTEMS, counted, json_of, listed, number
from cdfscore.errors import CdfscoreError, FactorsError, SchemeError, ScoresError, did_you_mean
from cdfscore.scores.delimited import Table, parse_delimited
from cdfscore.scores.how import How
from cdfscore.scores.labels import check_labels
from cdfscore.scores.results.dictionaries import DECODER
from cdfscore.scores.results.names import (
    TWO_FORMS_OF_DCG,
    is_measure,
    is_same_measure,
    is_with_base,
)
from cdfscore.standardization.cautions import Scale
from cdfscore.standardization.policies import ConstantPolicy
from cdfscore.standardization.standardized import Factors
from cdfscore.stats.schemes.base import Fitted, Parameters, Scheme, schemes

# --- Published moments: the formats of trec_eval -Z and of Webber and Moffat ---


def factors_of_moments(
    scheme: str | Scheme,
    topics: Iterable[str],
    mean: ArrayLike,
    sd: ArrayLike,
    *,
    source: str | Path,
    measure: str,
    constant: ConstantPolicy = "limit",
) -> Factors:
    """Make factors from the mean and the standard deviation of each topic in a file, `source`.

    Raises `FactorsError` for a scheme that needs other parameters, or an sd below 0.
    """
    chosen = schemes.parse(scheme) if isinstance(scheme, str) else scheme
    if set(chosen.parameter_names()) != {"mean", "sd"}:
        raise FactorsError(
            f"{source}: means and standard deviations do not determine {chosen}; expected "
            "normal, uniform, z or another scheme with a mean and an sd"
        )
    sds = np.asarray(sd, dtype=np.float64)[:, np.newaxis]
    names = tuple(topics)
    if (sds < 0).any():
        row = int(np.flatnonzero(sds < 0)[0])
        raise FactorsError(
            f"{source}: topic {names[row]!r}, measure {measure!r}: the standard deviation is "
            f"{sds[row, 0]}; expected a number that is not negative"
        )
    means = np.asarray(mean, dtype=np.float64)[:, np.newaxis]
    fitted = chosen.restore({"mean": means, "sd": sds})
    return Factors(fitted, names, measure=measure, constant=constant)


def read_trec_eval_factors(path: str | Path, *, scheme: str | Scheme = "z") -> dict[str, Factors]:
    """Read a ``trec_eval -Z`` file: factors by measure, in the order of the file.

    For z, the policy for constant topics is that of trec_eval (``constant="trec_eval"``). For
    other schemes with a mean and an sd, it is "limit".

    Raises `FactorsError` with the line number for an invalid line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "zscores.txt"
    >>> _ = file.write_text("301 map 0.2 0.1\\n302 map 0.5 0.1\\n")
    >>> read_trec_eval_factors(file)["map"]
    <factors of map by z for 2 topics, '301' to '302'>
    """
    return parse_trec_eval(text_of(path), Path(path), scheme)


def text_of(path: str | Path) -> str:
    """Read a file of factors as text; raises `FactorsError`."""
    content = _bytes(path)
    refuse_others(str(path), content, FactorsError, "the text of a file of factors")
    with readable(path, FactorsError):
        return with_one_line_end(without_marks(content)).decode()


def parse_trec_eval(text: str, path: Path, scheme: str | Scheme) -> dict[str, Factors]:
    """Parse what `read_trec_eval_factors` reads; `path` is for messages."""
    table: dict[str, dict[str, tuple[float, float]]] = {}
    for line, fields in enumerate(map(str.split, text.split("\n")), start=1):
        if not fields:
            continue
        if (
            len(fields) != 4
            or (mean := number(fields[2])) is None
            or (sd := number(fields[3])) is None
            or not (math.isfinite(mean) and math.isfinite(sd))
        ):
            raise FactorsError(
                f"{path}, line {line}: {' '.join(fields)!r} is not a topic, a measure, a mean "
                "and a standard deviation, as a file of factors has them"
            )
        topic, measure = fields[:2]
        if topic in table.setdefault(measure, {}):
            raise FactorsError(f"{path}, line {line}: {measure} of topic {topic!r} appears twice")
        table[measure][topic] = (mean, sd)
    if not table:
        raise FactorsError(f"{path} is empty; expected lines of topic, measure, mean and sd")
    chosen = schemes.parse(scheme) if isinstance(scheme, str) else scheme
    return {
        measure: factors_of_moments(
            chosen,
            topics,
            [mean for mean, _ in topics.values()],
            [sd for _, sd in topics.values()],
            source=path,
            measure=measure,
            constant="trec_eval" if chosen.name == "z" else "limit",
        )
        for measure, topics in table.items()
    }


def write_trec_eval_factors(factors: Iterable[Factors], path: str | Path) -> None:
    """Write factors of one or more measures as a file for ``trec_eval -Z``.

    The format has only the moments: scheme, settings and policies are not written. Numbers have
    enough digits to be read back as the same double. Lines are sorted by the bytes of topic and
    measure, the order in which trec_eval looks them up.

    Raises `FactorsError` for factors without a mean and an sd, a measure, or topic labels, for
    two factors of the same measure, and for a label with a space, which the format does not
    allow.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cdfscore import Standardizer, datasets
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "zscores.txt"
    >>> factors = Standardizer("z").fit(datasets.load_cranfield("ap"), measure="map")
    >>> write_trec_eval_factors([factors], file)
    >>> list(read_trec_eval_factors(file))
    ['map']
    """
    file = path_of(path, FactorsError)
    lines: dict[tuple[str, str], str] = {}
    measures = set()
    for each in factors:
        measure, parameters = each.measure, each.fitted.parameters
        if measure is None:
            raise FactorsError(f"{path}: the factors do not name their measure; expected one")
        if measure in measures:
            raise FactorsError(
                f"{path}: there are two factors of the measure {measure!r}; expected one"
            )
        if each.positions is not None:
            raise FactorsError(f"{path}: the factors have no topic labels; expected labels")
        if each.lower_is_better:
            raise FactorsError(
                f"{path}: the factors are of reversed scores (lower is better), which this format "
                "cannot represent; expected JSON, written by save_factors"
            )
        if set(parameters) != {"mean", "sd"}:
            raise FactorsError(
                f"{path}: the factors are of {each.fitted.scheme}; this format holds a mean and "
                "an sd, as of normal, uniform and z"
            )
        measures.add(measure)
        means, sds = (parameters[name][:, 0].tolist() for name in ("mean", "sd"))
        for topic, mean, sd in zip(each.topics, means, sds, strict=True):
            for label in (topic, measure):
                if label.split() != [label]:
                    raise FactorsError(f"{path}: the label {label!r} is empty or has a space")
            lines[topic, measure] = f"{topic} {measure} {mean!r} {sd!r}\n"
    if not lines:
        raise FactorsError(f"{path}: there are no factors to write; expected at least one")
    write_whole({file: "".join(lines[key] for key in sorted(lines)).encode()})


#: The files in a tar.gz.
MEANS, SDS = "means.csv", "sds.csv"
# Their names: the track, and a word for the moment.
_TRACK = r"(?:(.*?)[-./\\_ :]+)?"
_OF_MEANS = re.compile(rf"{_TRACK}(?:means?|avgs?|averages?|mu)\.csv", re.IGNORECASE)
_OF_SDS = re.compile(
    rf"{_TRACK}(?:sds?|std(?:dev|ev)?s?|sdevs?|sigma|standard[-_ ]deviations?)\.csv", re.IGNORECASE
)
# Names of their columns that other tools have for other measures, with a cutoff or without.
_COLUMN = re.compile(r"(n?DCG)((?:@\d+)?)")


def read_webber_moffat(
    means: str | Path,
    sds: str | Path | None = None,
    *,
    scheme: str | Scheme = "normal",
    track: str | None = None,
) -> dict[str, Factors]:
    """Read factors by measure: topics as rows, measures as columns, one file per moment.

    Without `sds`, `means` is a tar.gz file that contains both, in files such as ``T7.means.csv``
    and ``T7.sds.csv``, or ``T7/mean.csv`` and ``T7/stdev.csv``. `track` names one of several such
    pairs, by the name or a part of it. The columns ``DCG`` and ``nDCG`` have the measures that the
    page of Webber and Moffat calls so, ``DCG(b=2)`` and ``nDCG(b=2)``.

    Raises `FactorsError` for files that do not have this format or the same topics and measures,
    and for a track that is not there, or not named where there are several.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "means.csv").write_text("topic,AP,P@10\\n301,0.2,0.4\\n302,0.5,0.6\\n")
    >>> _ = (folder / "sds.csv").write_text("topic,AP,P@10\\n301,0.1,0.2\\n302,0.1,0.3\\n")
    >>> read_webber_moffat(folder / "means.csv", folder / "sds.csv")["AP"]
    <factors of AP by normal for 2 topics, '301' to '302'>
    """
    if sds is None:
        tables = [_table(f"{means}, {name}", data) for name, data in _members(means, track)]
    else:
        if track is not None:
            raise FactorsError(
                f"track={track!r} is for a tar.gz file of several tracks; expected none with "
                "sds=..."
            )
        if path_of(means, FactorsError) == path_of(sds, FactorsError):
            raise FactorsError(f"{means} is given both for means and for sds; expected two files")
        tables = [_table(str(path), _of_moments(Path(path))) for path in (means, sds)]
    mean, sd = tables
    measures = mean.columns
    for what, own, other in (
        ("measure", measures, sd.columns),
        ("topic", mean.labels, sd.labels),
    ):
        if own != other:
            i, pair = next(
                each for each in enumerate(zip_longest(own, other)) if len({*each[1]}) > 1
            )
            first, second = ("none" if name is None else repr(name) for name in pair)
            raise FactorsError(
                f"{mean.source} and {sd.source} differ in their {what}s: {what} {i + 1} is {first} "
                f"in the one and {second} in the other; expected the same in the same order"
            )
    return {
        (
            measure := _COLUMN.sub(r"\1(b=2)\2", column) if _COLUMN.fullmatch(column) else column
        ): factors_of_moments(
            scheme,
            mean.labels,
            mean.values[:, i],
            sd.values[:, i],
            source=sd.source,
            measure=measure,
        )
        for i, column in enumerate(measures)
    }


def _of_moments(path: Path) -> bytes:
    content = _bytes(path)
    if content.lstrip().startswith(b"{"):
        raise FactorsError(
            f"{path} is JSON, and saved factors contain their standard deviations; expected it "
            "without sds=..., or a CSV file of means"
        )
    if content.startswith(GZIP) and tarfile.is_tarfile(path):
        raise FactorsError(
            f"{path} is an archive, which has its standard deviations; expected it without sds=..."
        )
    fields = content.split(b"\n", 1)[0].decode(errors="replace").split()
    if len(fields) == 4 and None not in map(number, fields[2:]):
        raise FactorsError(
            f"{path} is a file for trec_eval -Z, which has its standard deviations; expected it "
            "without sds=..."
        )
    if len(fields) == 3 and number(fields[2]) is not None and any(map(is_measure, fields[:2])):
        raise FactorsError(
            f"{path} has a line for each score, as trec_eval writes them, and no means or standard "
            "deviations; expected a CSV file with a row for each topic and a column for each "
            "measure"
        )
    return content


def _table(source: str, content: bytes) -> Table:
    try:
        table = parse_delimited(source, content, How(systems_as_rows=False))
        check_labels(source, "topic", table.labels, (f"line {n}" for n in table.lines))
        measures = table.columns
        check_labels(source, "measure", measures, (f"column {i + 2}" for i in range(len(measures))))
    except ScoresError as error:
        raise FactorsError(str(error)) from error
    missing = np.argwhere(np.isnan(table.values))
    if missing.size:
        row, column = missing[0]
        raise FactorsError(
            f"{source}, line {table.lines[row]}: {measures[column]} is missing; expected a number"
        )
    return table


def _members(path: str | Path, track: str | None) -> list[tuple[str, bytes]]:
    """Return name and content of the two files of a track in a tar.gz: means, then deviations."""
    packed = _bytes(path)
    if not packed.startswith(GZIP):
        raise FactorsError(f"{path} is not a tar.gz file; expected one of {MEANS} and {SDS}")
    content = unpacked(str(path), packed, "gzip", FactorsError)
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:
            found = []
            for each in _pair(path, [m for m in tar.getmembers() if m.isfile()], track):
                if each.size > len(content):  # of a sparse file, with holes
                    raise FactorsError(
                        f"{path} is damaged: {each.name} would be larger than the archive"
                    )
                member = tar.extractfile(each)
                found.append((each.name, member.read() if member else b""))
    except (tarfile.TarError, EOFError, OSError) as error:
        raise FactorsError(f"{path} is not a tar.gz file: {error}") from error
    return found


def _pair(
    path: str | Path, files: list[tarfile.TarInfo], track: str | None
) -> list[tarfile.TarInfo]:
    of_tracks: dict[str, list[list[tarfile.TarInfo]]] = {}
    spelled: dict[str, str] = {}
    for each in files:
        for moment, names in enumerate((_OF_MEANS, _OF_SDS)):
            found = names.fullmatch(each.name.removeprefix("./"))
            if found and not Path(each.name).name.startswith("._"):  # which macOS adds
                own = spelled.setdefault((found[1] or "").casefold(), found[1] or "")
                of_tracks.setdefault(own, [[], []])[moment].append(each)
    if not of_tracks:
        raise FactorsError(
            f"{path} has no file of means and no file of standard deviations; expected names that "
            f"end in {MEANS} and {SDS}"
        )
    here = f"{path} has files of {listed([f'track {name!r}' for name in of_tracks])}"
    chosen = [*of_tracks]
    if track is not None:
        inside = [name for name in chosen if track.casefold() in name.casefold()]
        chosen = [name for name in inside if name.casefold() == track.casefold()] or inside
        if len(chosen) != 1:
            what = "several of them match" if chosen else "none of them is"
            raise FactorsError(f"{here}; {what} track={track!r}; expected one")
    elif len(chosen) > 1:
        raise FactorsError(f"{here}; no track was named; expected one by track=...")
    pair = of_tracks[chosen[0]]
    for members, what in zip(pair, ("means", "standard deviations"), strict=True):
        if len(members) != 1:
            of_track = f" of track {chosen[0]!r}" if chosen[0] else ""
            raise FactorsError(
                f"{path} has {counted(len(members), 'file')} of {what}{of_track}; expected one"
            )
    return [members[0] for members in pair]


def _bytes(path: str | Path) -> bytes:
    with readable(path, FactorsError):
        return read_bytes(path)


# --- Factors in files: JSON with a digest of its content, and loading of every format ---

FORMAT = "cdfscore factors"
VERSION = 3
#: The entry with the digest of all others; null after an edit by hand.
CONTENT = "content_digest"
#: The parameters that are lists, by the ends of their names; the others are one number a topic.
_LISTS = ("sample", "knots", "bends")
#: Those that are not negative. That y rises does not tell: it may be 0 for a negative scale.
_FROM_0 = ("scale", "shape", "spread", "sd", "total", "bandwidth", "curvature")
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
    <factors of AP by normal for 225 topics, '1' to '225'>
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
        **{name: _plain(getattr(factors, name)) for name in _OWN},
    }
    if factors.lower_is_better:  # only then, so that other files are as before
        lower = factors.lower_is_better
        head |= {
            "lower_is_better": lower if lower is True else list(lower),
            "reflect_at": factors.reflect_at,
        }
    if factors.origin:
        head["origin"] = factors.origin
    if factors.doubts:
        head["doubts"] = list(factors.doubts)
    if factors.units == MODELS:
        head["units"] = MODELS
    if factors.sets:
        head["sets"] = [
            {
                "topics": each.topics,
                "dropped": each.dropped,
                "unfitted": list(each.unfitted_topics),
                "systems": each.systems,
                "scale": _plain(each.scale),
                "lower_is_better": each.lower_is_better,
            }
            for each in factors.sets
        ]
    topics: dict[str, dict[str, Any]] = {}
    for row, topic in enumerate(factors.topics):
        entry: dict[str, Any] = {} if factors.n is None else {"n": int(factors.n[row])}
        for name, values in factors.fitted.parameters.items():
            present = values[row][~np.isnan(values[row])].tolist()
            entry[name] = present[0] if values.shape[-1] == 1 else present
        topics[topic] = entry
    head |= {CONTENT: content_digest({**head, "topics": topics})}
    lines = [f" {json.dumps(key)}: {json_of(value, None)}," for key, value in head.items()]
    rows = [f"  {json.dumps(topic)}: {json_of(own, None)}" for topic, own in topics.items()]
    return "\n".join(["{", *lines, ' "topics": {', ",\n".join(rows), " }", "}", ""]).encode()


def content_digest(document: Mapping[str, Any]) -> str:
    """Return the digest of the entries of a document but `CONTENT`: of their names and values.

    Of the text that ``json.dumps`` makes of them without spaces, so that the layout of a file may
    be another, but not the order of its entries, nor how a number is written: 1 is not 1.0.
    """
    entries = {name: value for name, value in document.items() if name != CONTENT}
    text = json.dumps(entries, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _plain(value: Any) -> Any:
    if isinstance(value, Scale):
        return asdict(value)
    return dict(value) if isinstance(value, Mapping) else value


class _Kind(NamedTuple):
    """What a value of the document may be, and its words in messages."""

    accepts: Callable[[Any], bool]
    words: str

    def check(self, value: Any, what: str) -> None:
        """Raise `FactorsError` for another value; `what` it is, with a verb."""
        if not self.accepts(value):
            raise FactorsError(f"{what} {_shown(value)}; expected {self.words}")

    def or_null(self) -> _Kind:
        """Return the kind that may be null as well."""
        return _Kind(lambda value: value is None or self.accepts(value), f"{self.words} or null")


def _of_type(words: str, *types: type) -> _Kind:
    return _Kind(lambda value: type(value) in types, words)


def _are_texts(value: Any) -> bool:
    return type(value) is list and all(type(item) is str for item in value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


_TEXT, _OBJECT = _of_type("text", str), _of_type("an object", dict)
_TEXTS = _Kind(_are_texts, "a list of text")
_SETTING = _of_type("a number or text", str, int, float)
_COUNT = _Kind(lambda n: type(n) is int and 0 < n < 2**63, "a whole number above 0")
# The entries of the document.
_ENTRIES = {
    "scheme": _TEXT,
    "settings": _OBJECT,
    "constant": _TEXT,
    "missing": _TEXT,
    "fitted_missing": _TEXT.or_null(),
    "unfitted": _TEXT,
    "measure": _TEXT.or_null(),
    "systems": _TEXTS.or_null(),
    "digest": _TEXT.or_null(),
    "scale": _OBJECT.or_null(),
    "positions": _of_type("a whole number", int).or_null(),
    "dropped": _TEXTS,
    "unfitted_topics": _OBJECT,
    "topics": _OBJECT,
}
# Those that are attributes of `Factors`.
_OWN = tuple(_ENTRIES)[2:-1]
# Those of some files only.
_OF_SOME = {
    "doubts": _TEXTS,
    "origin": _TEXT,
    "units": _Kind(lambda value: value == [*MODELS], f"the list {[*MODELS]}"),
    "sets": _of_type("a list of objects", list),
    "lower_is_better": _Kind(
        lambda value: value is True or (bool(value) and _are_texts(value)),
        "a list of topics, or true",
    ),
    "reflect_at": _Kind(_is_number, "a number"),
}
# Those of each of the sets that factors were joined from.
_OF_A_SET = {
    **{name: _ENTRIES[name] for name in ("dropped", "systems", "scale")},
    "topics": _TEXTS,
    "unfitted": _TEXTS,
    "lower_is_better": _Kind(
        lambda value: type(value) is bool or _are_texts(value), "a list of text or true"
    ),
}


def load_factors(
    path: str | Path,
    *,
    sds: str | Path | None = None,
    measure: str | None = None,
    scheme: str | Scheme | None = None,
    track: str | None = None,
) -> Factors:
    """Load factors: JSON of `save_factors`, or published means and standard deviations.

    The format is that of Webber and Moffat if the file ends in .tar.gz or .tgz, or `sds` is
    given. A file that starts with ``{`` is JSON. Any other file is one of ``trec_eval -Z``.
    Published factors may have several measures; `measure` names one, as trec_eval, ranx or
    ir_measures write it. They do not determine `scheme`: the default is normal (Webber and
    Moffat) or z (trec_eval). An archive may have several tracks; `track` names one.

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
    factors = factors_in(path, sds=sds, measure=measure, scheme=scheme, track=track)
    if measure is not None and factors.measure is None:
        raise FactorsError(
            f"{path} does not name the measure of its factors, and {measure!r} was asked for; "
            "leave measure=... out, or fit factors that name it"
        )
    return factors


def is_saved(path: str | Path) -> bool:
    """Tell whether a file is JSON, as saved factors are and published moments are not."""
    return _bytes(path).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def factors_in(
    path: str | Path,
    *,
    sds: str | Path | None = None,
    measure: str | None = None,
    scheme: str | Scheme | None = None,
    track: str | None = None,
) -> Factors:
    """Load factors as `load_factors` does; those that name no measure may be of any."""
    file = path_of(path, FactorsError)
    if sds is not None or file.name.lower().endswith((".tar.gz", ".tgz")):
        found = read_webber_moffat(file, sds, scheme=scheme or "normal", track=track)
        return _one(found, measure, path)
    if track is not None:
        raise FactorsError(
            f"{path} does not end in .tar.gz, and only such archives have tracks; expected no "
            f"track={track!r}"
        )
    text = text_of(file)
    if file.suffix.lower() == ".csv":
        raise FactorsError(
            f"{path} is a CSV, of means or of scores, and has no factors; expected means with the "
            "file of standard deviations, by sds=..., or factors fitted to the scores"
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
        if measure not in by_measure and measure.replace("nDCG", "nDCG(b=2)", 1) in by_measure:
            same = []  # a column of this name is another measure
        if measure in by_measure or same:
            return by_measure[measure if measure in by_measure else same[0]]
    names = listed([*by_measure])
    if measure is None:
        raise FactorsError(
            f"{path} has factors of {names}; no measure was named; expected one by measure=..."
        )
    other = did_you_mean(measure, by_measure)
    if any(map(is_with_base, by_measure)):
        other += f": {TWO_FORMS_OF_DCG}"
    raise FactorsError(f"{path} has factors of {names}; there is no {measure!r}{other}")


def _from_json(text: str, source: str) -> Factors:
    try:
        document = DECODER.decode(text)
        return _factors(document)
    except json.JSONDecodeError as error:
        raise FactorsError(f"{source}, line {error.lineno}: not JSON: {error.msg}") from error
    except CdfscoreError as error:  # of a value in the file, and not of an argument
        told = re.sub(r"^(\w+)=", r"\1: ", str(error))
        raise FactorsError(f"{source}: {told}") from error
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
    name, topics = document["scheme"], document["topics"]
    try:
        scheme: Scheme = schemes.make(name, document["settings"])
    except SchemeError as error:
        whose = f"a package adds {name!r}"
        if name in schemes.names():
            if not document.get("origin"):
                raise
            whose = f"it is of {document['origin']}, as the factors are"
        raise SchemeError(f"{error}; if {whose}, install it") from error
    counts = None
    if any("n" in entry for entry in topics.values()):
        for topic, entry in topics.items():
            _COUNT.check(entry.get("n"), f"topic {topic!r} has n")
        counts = np.array([entry["n"] for entry in topics.values()], dtype=np.int64)
    fitted = scheme.restore(parameters_of(scheme, topics))
    check_fitted(fitted, topics)
    own = {name: document[name] for name in _OWN}
    own = {name: tuple(each) if isinstance(each, list) else each for name, each in own.items()}
    found = Factors(
        fitted=fitted,
        topics=tuple(topics),
        n=counts,
        lower_is_better=lower is True or tuple(lower),
        reflect_at=float(document.get("reflect_at", 0)),
        without_digest=document[CONTENT] is None,
        origin=document.get("origin", ""),
        doubts=tuple(document.get("doubts", ())),
        units=MODELS if "units" in document else SYSTEMS,
        **{**own, "scale": scale_of(document["scale"])},
    )
    found = replace(found, sets=tuple(_sets(found, document.get("sets", []))))
    # After all other checks, whose messages name the place.
    if document[CONTENT] is not None and document[CONTENT] != content_digest(document):
        raise FactorsError(
            f"the content does not match {CONTENT!r}, so the file was damaged or edited after it "
            f"was saved; expected the saved file, or null as {CONTENT!r} if it was edited on "
            "purpose"
        )
    return found


def _sets(found: Factors, entries: list[Any]) -> Iterator[Factors]:
    for i, entry in enumerate(entries, 1):
        _OBJECT.check(entry, f"set {i} of 'sets' is")
        _check_types(entry, _OF_A_SET, f" of set {i}")
    for name, whole in (("topics", found.topics), ("dropped", found.dropped)):
        if entries and [topic for entry in entries for topic in entry[name]] != list(whole):
            raise FactorsError(f"'sets' have other {name} than the factors; expected the same")
    start = 0
    for entry in entries:
        rows = np.arange(start, start := start + len(entry["topics"]))
        lower, systems = entry["lower_is_better"], entry["systems"]
        reasons = found.unfitted_topics
        yield replace(
            found,
            fitted=found.fitted.take(rows),
            topics=tuple(entry["topics"]),
            n=None if found.n is None else found.n[rows],
            systems=None if systems is None else tuple(systems),
            dropped=tuple(entry["dropped"]),
            unfitted_topics={topic: reasons.get(topic, "") for topic in entry["unfitted"]},
            lower_is_better=lower is True or tuple(lower or ()),
            reflect_at=found.reflect_at if lower else 0.0,
            scale=scale_of(entry["scale"]),
            doubts=(),
        )


def check_entries(document: dict[str, Any]) -> None:
    """Raise `FactorsError` unless every entry is present and has its type."""
    own = {name: kind for name, kind in _OF_SOME.items() if name in document}
    if len(direction := own.keys() & {"lower_is_better", "reflect_at"}) == 1:
        raise FactorsError(
            f"there is {direction.pop()!r} alone; expected 'lower_is_better' and 'reflect_at', or "
            "neither"
        )
    _check_types(document, {**_ENTRIES, **own})
    topics, positions = document["topics"], document["positions"]
    left_out = len(document["dropped"]) + len(document["unfitted_topics"])
    for name, value in document["settings"].items():
        _SETTING.check(value, f"setting {name!r} is")
    for topic, reason in document["unfitted_topics"].items():
        _TEXT.check(reason, f"unfitted topic {topic!r} has the reason")
    for what, *where in (("topic", "topics", "unfitted_topics", "dropped"), ("system", "systems")):
        labels = [label for name in where for label in document[name] or ()]
        places = (name for name in where for _ in document[name] or ())
        check_labels("the factors", what, labels, places)
    if not topics:
        raise FactorsError("'topics' is empty; expected at least one topic")
    for topic, entry in topics.items():
        _OBJECT.check(entry, f"topic {topic!r} is")
    if positions not in (None, len(topics) + left_out):
        raise FactorsError(
            f"'positions' is {positions}, and there are {len(topics)} topics and {left_out} "
            "that were dropped or unfitted; expected the sum, or null"
        )


def _check_types(entries: dict[str, Any], every: Mapping[str, _Kind], where: str = "") -> None:
    for name, kind in every.items():
        if name not in entries:
            beside = "" if where else "; expected it next to 'format' and 'version'"
            raise FactorsError(f"there is no {name!r}{where}{beside}")
        kind.check(entries[name], f"{name!r}{where} is")


def scale_of(entry: Any) -> Scale | None:
    """Return the range and the grid of the reference scores, if they are known."""
    if entry is None:
        return None
    low, high = entry.get("low"), entry.get("high")
    if not (_is_number(low) and _is_number(high) and low <= high):
        raise FactorsError(
            f"'scale' is {_shown(entry)}; expected 'low' and 'high', numbers in rising order"
        )
    kinds = {
        "grid": _Kind(lambda n: type(n) is int and n > 0, "a whole number"),
        "middle": _Kind(
            lambda x: _is_number(x) and low <= x <= high, "a number from 'low' to 'high'"
        ),
        "coarse": _Kind(lambda x: _is_number(x) and 0 < x <= 1, "a number above 0 and up to 1"),
    }
    for name, kind in kinds.items():
        what = "proportion 'coarse'" if name == "coarse" else name
        kind.or_null().check(entry.get(name), f"'scale' has the {what}")
    known = [None if (x := entry.get(name)) is None else float(x) for name in ("middle", "coarse")]
    return Scale(float(low), float(high), entry.get("grid"), *known)


def parameters_of(scheme: Scheme, topics: dict[str, dict[str, Any]]) -> Parameters:
    """Gather each parameter over all topics: shape (topics, k), NaN where k differs."""
    parameters, names, ours = {}, scheme.parameter_names(), not traces(scheme.members)
    for name in names:
        of_one = ours and not name.endswith(_LISTS)
        rows = [_numbers(topic, name, entry, of_one) for topic, entry in topics.items()]
        longest, given = max(map(len, rows)), sum(map(len, rows))
        if too_sparse(len(rows), longest, given):
            raise FactorsError(
                f"{name!r} has {longest:,} numbers on one topic, and {given:,} on all "
                f"{len(rows):,}; expected lists of similar length"
            )
        table = np.full((len(rows), longest), np.nan)
        for row, values in zip(table, rows, strict=True):
            row[: len(values)] = values
        parameters[name] = table
    for topic, entry in topics.items():
        if other := entry.keys() - {"n", *names}:
            raise FactorsError(
                f"topic {topic!r} has {min(other)}, which {scheme.name} has not; expected "
                f"{', '.join(names) or 'no parameters'}"
            )
    return parameters


def check_fitted(fitted: Fitted, topics: dict[str, dict[str, Any]]) -> None:
    """Raise `FactorsError` unless y does not decrease as x increases, as for every scheme.

    It decreases, or is no number, for a negative sd or scale, or a min above the max, which no fit
    gives. It is computed in [0, 1], at the parameters, which may be means, and on both sides.
    """
    if not fitted.parameters:
        return
    single = [each for each in fitted.parameters.values() if each.shape[-1] == 1]
    stacked = np.concatenate(list(fitted.parameters.values()), axis=-1)
    ends = [np.nanmin(stacked, -1, keepdims=True) - 1, np.nanmax(stacked, -1, keepdims=True) + 1]
    widths = {values.shape[-1] for values in fitted.parameters.values()}
    # No list is taken for one number per score.
    m = next(m for m in count(12) if m + len(single) not in widths)
    within = np.broadcast_to(np.linspace(0.05, 0.95, m - 2), (len(topics), m - 2))
    try:
        with np.errstate(all="ignore"):
            y = fitted(np.sort(np.concatenate([*single, *ends, within], axis=-1)))
            rises = np.all(y[:, 1:] >= y[:, :-1] - 1e-9, axis=-1).tolist()
    except ValueError as error:
        raise FactorsError("a parameter is a list where a number is expected") from error
    for (topic, entry), fine in zip(topics.items(), rises, strict=True):
        if not fine:
            values = ", ".join(f"{name} {_shown(entry[name])}" for name in fitted.parameters)
            raise FactorsError(
                f"topic {topic!r}: {values} are not parameters of {fitted.scheme.name}, as y "
                "would decrease; expected parameters that a fit can give"
            )


def _numbers(topic: str, name: str, entry: dict[str, Any], of_one: bool) -> list[float]:
    """Return a parameter; a sample has n numbers, and each of the knots a bend."""
    value = entry.get(name)
    row: list[Any] = value if isinstance(value, list) else [value]
    least = 0.0 if of_one and name.endswith(_FROM_0) else -math.inf
    numbers = bool(row) and all(map(_is_number, row)) and min(row) >= least
    if not numbers or (of_one and value is row):
        expected = "a number" + (" from 0 on" if least == 0 else "" if of_one else " or numbers")
        raise FactorsError(f"topic {topic!r} has {name} {_shown(value)}; expected {expected}")
    pair = entry.get(name.replace("bends", "knots"), value)
    size = entry.get("n", len(row)) if name == "sample" else len(pair) if type(pair) is list else 1
    if size != len(row) or (name.endswith(("sample", "knots")) and row != sorted(row)):
        expected = "n numbers" if name == "sample" else "numbers, as many bends as knots"
        raise FactorsError(
            f"topic {topic!r} has {name} {_shown(value)} and n {entry.get('n')}; expected "
            f"{expected}, a sample and knots in ascending order"
        )
    return row


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
