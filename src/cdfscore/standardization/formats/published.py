"""Published moments: the formats of trec_eval -Z and of Webber and Moffat."""

from __future__ import annotations

import gzip
import io
import math
import re
import tarfile
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import FactorsError, ScoresError
from cdfscore.io.atomic import write_whole
from cdfscore.io.files import (
    GZIP,
    read_bytes,
    readable,
    refuse_others,
    unpacked,
    with_one_line_end,
    without_marks,
)
from cdfscore.io.results.names import is_measure
from cdfscore.io.scores.delimited import Table, parse_delimited
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import check_labels
from cdfscore.io.tables import encode_table
from cdfscore.io.text import counted, listed, number
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Scheme
from cdfscore.schemes.registry import schemes
from cdfscore.spelling import argument, option
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.policies.constant import ConstantPolicy


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


def moments_by_measure(
    factors: Iterable[Factors], path: Path
) -> list[tuple[str, tuple[str, ...], Array, Array]]:
    """Return measure, topics, means and standard deviations for a file; `path` is for messages.

    Raises `FactorsError` if there are no factors, for factors without a measure, topic labels,
    or a mean and an sd, with topics on which lower is better, and for two factors of the same
    measure.
    """
    moments: dict[str, tuple[str, tuple[str, ...], Array, Array]] = {}
    for each in factors:
        if each.measure is None:
            raise FactorsError(f"{path}: the factors do not name their measure; expected one")
        if each.measure in moments:
            raise FactorsError(
                f"{path}: there are two factors of the measure {each.measure!r}; expected one"
            )
        if each.positions is not None:
            raise FactorsError(f"{path}: the factors have no topic labels; expected labels")
        if each.lower_is_better:
            raise FactorsError(
                f"{path}: the factors are of reversed scores (lower is better), which this format "
                "cannot represent; expected JSON, written by save_factors"
            )
        parameters = each.fitted.parameters
        if set(parameters) != {"mean", "sd"}:
            raise FactorsError(
                f"{path}: the factors are of {each.fitted.scheme}; this format holds a mean and "
                "an sd, as of normal, uniform and z"
            )
        mean, sd = parameters["mean"][:, 0], parameters["sd"][:, 0]
        moments[each.measure] = (each.measure, each.topics, mean, sd)
    if not moments:
        raise FactorsError(f"{path}: there are no factors to write; expected at least one")
    return list(moments.values())


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
    return parse_trec_eval(text_of(Path(path)), Path(path), scheme)


def text_of(path: Path) -> str:
    """Read a file of factors as text; raises `FactorsError`."""
    with readable(path, FactorsError):
        content = read_bytes(path)
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
    lines = []
    for measure, topics, means, sds in moments_by_measure(factors, Path(path)):
        for topic, mean, sd in zip(topics, means.tolist(), sds.tolist(), strict=True):
            for label in (topic, measure):
                if label.split() != [label]:
                    raise FactorsError(f"{path}: the label {label!r} is empty or has a space")
            lines.append((topic, measure, f"{topic} {measure} {mean!r} {sd!r}\n"))
    write_whole({Path(path): "".join(line for *_, line in sorted(lines)).encode()})


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
        tables = [_table(f"{means}, {name}", data) for name, data in _members(Path(means), track)]
    else:
        if track is not None:
            raise FactorsError(
                f"{argument('track', track)} is for a tar.gz file of several tracks; "
                f"expected none with {option('sds')}"
            )
        if Path(means) == Path(sds):
            raise FactorsError(f"{means} is given both for means and for sds; expected two files")
        tables = [_table(str(path), _of_moments(Path(path))) for path in (means, sds)]
    mean, sd = tables
    measures = mean.other_columns()
    for what, own, other in (
        ("measure", measures, sd.other_columns()),
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


def write_webber_moffat(
    factors: Iterable[Factors], means: str | Path, sds: str | Path | None = None
) -> None:
    """Write factors of one or more measures in this format; without `sds` as one tar.gz.

    The format has only the moments: scheme, settings and policies are not written. Columns have
    the names of the page of Webber and Moffat: ``DCG`` for ``DCG(b=2)``, ``nVDCG`` for ``nDCG``.

    Raises `FactorsError` for factors without a mean and an sd, a measure or topic labels,
    for two factors of the same measure, and for factors with different topics.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cdfscore import Standardizer, datasets
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "factors.tar.gz"
    >>> factors = Standardizer("normal").fit(datasets.load_cranfield("ap"), measure="AP")
    >>> write_webber_moffat([factors], file)
    >>> list(read_webber_moffat(file))
    ['AP']
    """
    columns = moments_by_measure(factors, Path(means))
    measures, topics = [_column(column[0]) for column in columns], columns[0][1]
    for measure, (_, others, *_) in zip(measures, columns, strict=True):
        if measures.count(measure) > 1:
            raise FactorsError(
                f"{means}: there are two factors of the measure {measure!r}; expected one"
            )
        if others != topics:
            raise FactorsError(
                f"{means}: the factors of {measure} have other topics; expected the same"
            )
    texts = [
        encode_table(
            ["topic", *measures],
            [topics, np.column_stack([column[moment] for column in columns])],
        )
        for moment in (2, 3)
    ]
    if sds is not None:
        if Path(means) == Path(sds):
            raise FactorsError(f"{means} is given both for means and for sds; expected two files")
        write_whole({Path(means): texts[0], Path(sds): texts[1]})
        return
    archive = io.BytesIO()
    # No modification time in the header, so that equal factors make equal files.
    with (
        gzip.GzipFile(fileobj=archive, mode="wb", mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w") as tar,
    ):
        for name, text in zip((MEANS, SDS), texts, strict=True):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    write_whole({Path(means): archive.getvalue()})


def _of_moments(path: Path) -> bytes:
    """Return the content of a CSV of means, or of standard deviations, and not of saved factors."""
    content = _bytes(path)
    if content.lstrip().startswith(b"{"):
        raise FactorsError(
            f"{path} is JSON, and saved factors contain their standard deviations; expected it "
            f"without {option('sds')}, or a CSV file of means"
        )
    if content.startswith(GZIP) and tarfile.is_tarfile(path):
        raise FactorsError(
            f"{path} is an archive, which has its standard deviations; expected it without "
            f"{option('sds')}"
        )
    fields = content.split(b"\n", 1)[0].decode(errors="replace").split()
    if len(fields) == 4 and None not in map(number, fields[2:]):
        raise FactorsError(
            f"{path} is a file for trec_eval -Z, which has its standard deviations; expected it "
            f"without {option('sds')}"
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
        measures = table.other_columns()
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


def _column(measure: str) -> str:
    """Return the name of a column, from which the same measure is read."""
    if found := _COLUMN.fullmatch(measure):
        return measure if found[1] == "DCG" else f"nVDCG{found[2]}"
    found = _COLUMN.fullmatch(measure.replace("(b=2)", "", 1))
    return found[0] if found else measure


def _members(path: Path, track: str | None) -> list[tuple[str, bytes]]:
    """Return name and content of the two files of a track in a tar.gz: means, then deviations.

    They are read where they are, so that their names may be those of any folder.
    """
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


def _pair(path: Path, files: list[tarfile.TarInfo], track: str | None) -> list[tarfile.TarInfo]:
    """Return the two files of the track that is named, or of the only one."""
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
            raise FactorsError(f"{here}; {what} {argument('track', track)}; expected one")
    elif len(chosen) > 1:
        raise FactorsError(f"{here}; no track was named; expected one by {option('track')}")
    pair = of_tracks[chosen[0]]
    for members, what in zip(pair, ("means", "standard deviations"), strict=True):
        if len(members) != 1:
            of_track = f" of track {chosen[0]!r}" if chosen[0] else ""
            raise FactorsError(
                f"{path} has {counted(len(members), 'file')} of {what}{of_track}; expected one"
            )
    return [members[0] for members in pair]


def _bytes(path: Path) -> bytes:
    with readable(path, FactorsError):
        return read_bytes(path)
