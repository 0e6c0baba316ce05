"""``cdfscore measure``: scores from runs and qrels."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from cdfscore.cli.given import Runs
from cdfscore.cli.options import RequiredFile, WrittenScores
from cdfscore.cli.paths import write_outputs
from cdfscore.cli.terminal import say, show_scores, shown_progress
from cdfscore.common.threads import cores, process_pool
from cdfscore.errors import CdfscoreError

if TYPE_CHECKING:
    from cdfscore.retrieval import Measured
    from cdfscore.retrieval.measuring import MissingTopics

# Starting a process takes about 1.1 s of a core. In this time, a process reads and measures this
# number of bytes: 5 runs of 225 topics x 1,000 documents, 0.2 s each. With fewer bytes for each,
# two processes take longer than one: for 6 such runs 1.4 times as long as ir_measures, one process
# 1.0 times.
_BYTES_OF_A_PROCESS = 50_000_000


def measure(
    given: Runs,
    *,
    qrels: RequiredFile,
    measure: list[str],
    out: WrittenScores = None,
    long: bool = False,
    missing_topics: str = "refuse",
    jobs: int | None = None,
) -> None:
    """Compute scores from runs and relevance judgments.

    Documents are ordered as in trec_eval: by descending score in single precision, and equal scores
    by descending document id. The ranks in the files are not used.

    Examples:
    cdfscore measure bm25.run b.run.gz --qrels qrels.txt --measure AP -o ap.csv
    cdfscore measure *.run --qrels qrels.txt --measure AP --measure P@10 -o a.csv
    cdfscore measure BM25=a.run --qrels qrels --measure AP --missing-topics zero

    Parameters
    ----------
    run : RUN
        Run files, plain or compressed by gzip or zstd. Use - for standard input. The run id is the
        name of the system; NAME=FILE gives it another name.
    qrels : FILE
        File of relevance judgments (qrels), plain or compressed by gzip or zstd.
    measure : MEASURE
        Measure, by its name in ir_measures, such as AP, nDCG@20 or 'P(rel=2)@10'; or SP, DCG, VDCG,
        'RBP(p=0.95)', 'nRBP(p=0.95)' or nP@10. May be repeated.
    missing_topics : POLICY
        What to do if a run lacks a judged topic: refuse (an error), omit (the score is missing, as
        in trec_eval) or zero (the score is 0, as in trec_eval -c).
    jobs : N
        Number of processes that read and measure runs. Default: all cores for large runs.

    Output
    ------
    out : OUT
        Output file for the scores: .csv, .tsv or .parquet. With one measure, it has topics as rows
        and systems as columns. With several, or with --long, each row has topic, system, measure
        and score.
    long
        Write a row with topic, system, measure and score also with one measure. A .csv or .tsv file
        then names its measure, as a .parquet file always does, so that scores of another measure
        are refused beside it.
    """
    from cdfscore.retrieval.measuring import check_policy, parse_measures
    from cdfscore.retrieval.measuring import measure as measured_by
    from cdfscore.retrieval.runs import RunFile

    if long and out is None:
        raise typer.BadParameter("--long needs --out OUT")
    if jobs is not None and jobs < 1:
        raise CdfscoreError(f"--jobs is {jobs}; expected 1 or more")
    # Mistakes in these options are reported before a file is read.
    parse_measures(measure)
    check_policy(missing_topics)
    with (
        shown_progress("nothing is written") as begin,
        process_pool(_processes(jobs, [path for _, path in given.files])) as executor,
    ):
        measured = measured_by(
            [RunFile(path, name) for name, path in given.files],
            qrels,
            measure,
            missing_topics=cast("MissingTopics", missing_topics),
            executor=executor,
            progress=begin("runs"),
        )
    write_outputs((out, lambda path: _encoded(measured, path, long=long)))
    if out is None:
        show_scores(measured.matrices)
    elif len(measured.matrices) == 1 and not long and not out.lower().endswith(".parquet"):
        (name,) = measured.matrices
        say(f"the file does not name its measure, {name}; with --long, it does")
    say(*measured.notes)


def _processes(jobs: int | None, files: list[str]) -> int:
    most = len(files)
    if jobs is None:
        size = 0
        for path in files:
            with suppress(OSError, ValueError):
                size += Path(path).stat().st_size
        most, jobs = min(most, max(1, size // _BYTES_OF_A_PROCESS)), cores()
    return min(most, jobs)


def _encoded(measured: Measured, path: Path, *, long: bool = False) -> bytes:
    from cdfscore.scores.parquet import CHECKSUMS
    from cdfscore.scores.tables import DELIMITERS, encode_frame
    from cdfscore.scores.writing import encode_scores

    matrices = [*measured.matrices.values()]
    if len(matrices) == 1 and not long:
        return encode_scores(matrices[0], path)
    ending = path.suffix.lower()
    if ending == ".parquet":
        return bytes(measured.frame().to_parquet(index=False, **CHECKSUMS))
    return encode_frame(measured.frame(), DELIMITERS[ending])
