"""Webber and Moffat's format: a CSV of means and a CSV of standard deviations."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from cdfscore.errors import FactorsError, ScoresError
from cdfscore.io.atomic import write_whole
from cdfscore.io.compression import GZIP, gunzipped
from cdfscore.io.digests import read_bytes
from cdfscore.io.files import readable
from cdfscore.io.scores.delimited import parse_delimited
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import check_labels
from cdfscore.io.scores.table import Table
from cdfscore.io.tables import encode_table
from cdfscore.schemes.base import Scheme
from cdfscore.spelling import option
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.formats.published import factors_of_moments, moments_by_measure

#: The files in a tar.gz, recognized by the endings of their names.
MEANS, SDS = "means.csv", "sds.csv"


def read_webber_moffat(
    means: str | Path, sds: str | Path | None = None, *, scheme: str | Scheme = "normal"
) -> dict[str, Factors]:
    """Read factors by measure: topics as rows, measures as columns, one file per moment.

    Without `sds`, `means` is a tar.gz file that contains both, in files whose names end in
    ``means.csv`` and ``sds.csv``.

    Raises `FactorsError` for files that do not have this format or the same topics and measures.

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
        tables = [_table(f"{means}, {name}", data) for name, data in _members(Path(means))]
    else:
        tables = [_table(str(path), _of_moments(Path(path))) for path in (means, sds)]
    mean, sd = tables
    measures = mean.other_columns()
    if (mean.labels, measures) != (sd.labels, sd.other_columns()):
        raise FactorsError(
            f"{mean.source} and {sd.source} differ in their topics or measures; expected the same"
        )
    return {
        measure: factors_of_moments(
            scheme,
            mean.labels,
            mean.values[:, i],
            sd.values[:, i],
            source=sd.source,
            measure=measure,
        )
        for i, measure in enumerate(measures)
    }


def write_webber_moffat(
    factors: Iterable[Factors], means: str | Path, sds: str | Path | None = None
) -> None:
    """Write factors of one or more measures in this format; without `sds` as one tar.gz.

    The format has only the moments: scheme, settings and policies are not written.

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
    measures, topics = [column[0] for column in columns], columns[0][1]
    for measure, others, *_ in columns:
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


def _members(path: Path) -> list[tuple[str, bytes]]:
    """Return name and content of the two files in a tar.gz: means, then deviations.

    They are read where they are, so that their names may be those of any folder.
    """
    packed = _bytes(path)
    if not packed.startswith(GZIP):
        raise FactorsError(f"{path} is not a tar.gz file; expected one of {MEANS} and {SDS}")
    content = gunzipped(str(path), packed, FactorsError)
    found = []
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:
            files = [member for member in tar.getmembers() if member.isfile()]
            for ending in (MEANS, SDS):
                named = [m for m in files if m.name.lower().endswith(ending)]
                if len(named) != 1:
                    raise FactorsError(
                        f"{path} has {len(named)} files whose names end in {ending}; expected one"
                    )
                if named[0].size > len(content):  # of a sparse file, with holes
                    raise FactorsError(
                        f"{path} is damaged: {named[0].name} would be larger than the archive"
                    )
                member = tar.extractfile(named[0])
                found.append((named[0].name, member.read() if member else b""))
    except (tarfile.TarError, EOFError, OSError) as error:
        raise FactorsError(f"{path} is not a tar.gz file: {error}") from error
    return found


def _bytes(path: Path) -> bytes:
    with readable(path, FactorsError):
        return read_bytes(path)
