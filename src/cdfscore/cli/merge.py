"""``cdfscore measure``: scores from runs; ``cdfscore merge``: one run of several sources."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from cdfscore.cli.given import Runs
from cdfscore.cli.options import OR_TABLE, RequiredFile, Written, WrittenScores, is_typed
from cdfscore.cli.paths import write_outputs
from cdfscore.cli.terminal import say, show_result, show_scores, shown_progress
from cdfscore.common.text import number
from cdfscore.common.threads import cores, process_pool
from cdfscore.errors import CdfscoreError, check_one_of

if TYPE_CHECKING:
    from cdfscore.retrieval import Measured
    from cdfscore.retrieval.measuring import MissingTopics
    from cdfscore.retrieval.merging import Merged
    from cdfscore.retrieval.runs import AnyRuns
_ALL, _CORI, _CHOSEN = "all", "cori", "cv"
#: Options that are no argument of a method in Python, with the argument that they make.
_MADE_OF = {
    "sizes": "samples",
    **dict.fromkeys(("lam", "statistics", "queries", "qrels", "measure"), "weights"),
}


@dataclass(frozen=True)
class Merging:
    """The options for merging lists, of `merge` and of ``verify --merge``.

    Parameters
    ----------
    method : METHOD
        merge: by normalized scores. safe: by scores that are estimated for each rank from sampled
        documents. round_robin: lists take turns. rrf: reciprocal rank fusion.
    normalize : SCHEME
        Scheme that is fitted to the scores of each list, such as minmax, z, sum, empirical, normal
        or kernel. 'cdfscore schemes' lists the schemes.
    depth : N|all
        Number of documents to use from the top of each list.
    weights : FILE|cori
        Weights of sources for topics. FILE is a CSV or TSV file with the columns topic, source and
        score. The scores are the weights, or with --lambda the scores of resource selection. cori
        computes scores of resource selection from --statistics and --queries. Default: all weights
        are 1.
    lam : NUMBER|inf|cv
        How much the scores of resource selection count. The weights are (1 + lambda m) / (1 +
        lambda), where m is the MinMax of the scores. inf: the weights are m. cv: lambda is chosen
        for each topic on all other topics, by --qrels. Default: 0.4 for cori.
    statistics : FILE
        Term statistics for cori: a file with the columns source, term, df (documents with the term)
        and words (of the source).
    queries : FILE
        Queries for cori: a file with the columns topic and text.
    qrels : FILE
        Relevance judgments for --lambda cv.
    measure : MEASURE
        Measure for --lambda cv, by its name in ir_measures.
    sample_run : RUN
        For safe: the run of the broker on the documents that it has sampled.
    samples : FILE
        For safe: a file of the sampled documents, with the columns source and document.
    sizes : FILE
        For safe: a file of the number of documents of each source, with the columns source and
        size.
    k : NUMBER
        Constant k of rrf, in 1 / (k + rank).
    duplicates : POLICY
        What to do with a document in several lists of a topic: refuse (an error), best (take its
        highest score), sum (add its scores, CombSUM) or mnz (multiply the sum by the number of its
        lists, CombMNZ).
    constant : POLICY
        What to do with lists whose scores are all equal, such as a list of one document: limit (of
        the scheme), half or raise (an error).
    unfitted : POLICY
        What to do with lists to which the scheme cannot be fitted: raise (an error) or drop_list.
    """

    method: str = "merge"
    normalize: str = "minmax"
    depth: str = _ALL
    weights: str | None = None
    lam: Annotated[str | None, typer.Option("--lambda")] = None
    statistics: str | None = None
    queries: str | None = None
    qrels: str | None = None
    measure: str = "AP"
    sample_run: str | None = None
    samples: str | None = None
    sizes: str | None = None
    k: float = 60.0
    duplicates: str = "refuse"
    constant: str = "limit"
    unfitted: str = "raise"

    @property
    def paths(self) -> dict[str, str | None]:
        """The files by their options, for a message on paths."""
        files = ("statistics", "queries", "qrels", "sample_run", "samples", "sizes")
        found = {f"--{name.replace('_', '-')}": getattr(self, name) for name in files}
        return {**found, "--weights": None if self.weights == _CORI else self.weights}

    def check(self) -> None:
        """Raise an error for an unknown method, and for options that it needs or does not use."""
        from cdfscore.retrieval.merging import METHODS
        from cdfscore.retrieval.merging.merging import (
            check_duplicates,
            check_policies,
            check_unfitted,
        )
        from cdfscore.stats.schemes.base import parse_scheme

        check_one_of("method", self.method, METHODS, CdfscoreError)
        for each in fields(self):
            own = _MADE_OF.get(each.name, each.name)
            methods = [name for name, how in METHODS.items() if own in signature(how).parameters]
            if methods and self.method not in methods and is_typed(each.name):
                raise CdfscoreError(
                    f"{each.name}=... is not accepted with --method {self.method}; expected "
                    f"--method {' or '.join(methods)}, or no {each.name}=..."
                )
        self._require(self.method == "safe", "--method safe", ("sample_run", "samples", "sizes"))
        cori = self.weights == _CORI
        self._require(cori, f"--weights {_CORI}", ("statistics", "queries"))
        self._require(self.lam == _CHOSEN, f"--lambda {_CHOSEN}", ("qrels",))
        self._depth()
        check_duplicates(self.duplicates)
        check_unfitted(self.unfitted)
        check_policies(self.constant, self.unfitted, parse_scheme(self.normalize))
        if self.lam == _CHOSEN:
            from cdfscore.retrieval.measuring import parse_measure

            parse_measure(self.measure)
        else:
            self.lam_number()
        if is_typed("measure") and self.lam != _CHOSEN:
            raise CdfscoreError(f"--measure is for --lambda {_CHOSEN}; expected both, or neither")
        if self.lam is not None and self.weights is None:
            raise CdfscoreError(
                f"--lambda {self.lam} needs scores of resource selection; expected --weights FILE "
                f"or --weights {_CORI}"
            )

    def _require(self, asked: bool, by: str, names: tuple[str, ...]) -> None:
        for name in names:
            given = getattr(self, name) is not None
            if asked and not given:
                every = ", ".join(f"{each}=..." for each in names)
                raise CdfscoreError(f"{by} needs {name}=...; expected {every} with it")
            if given and not asked:
                raise CdfscoreError(f"{name}=... is for {by}; expected both, or neither")

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of the method in Python, without the weights."""
        from cdfscore.retrieval.merging import METHODS

        taken = signature(METHODS[self.method]).parameters.keys()
        names = taken & {"normalize", "constant", "unfitted", "duplicates", "k"}
        own = {"depth": self._depth(), **{name: getattr(self, name) for name in names}}
        if self.method == "safe":
            from cdfscore.retrieval import read_run
            from cdfscore.retrieval.merging.sources import read_samples

            own["sample_run"] = read_run(str(self.sample_run))  # all are given, by `check`
            own["samples"] = read_samples(str(self.samples), str(self.sizes))
        return own

    def _depth(self) -> int | None:
        if self.depth == _ALL:
            return None
        found = number(self.depth)
        if found is None or found < 1 or not found.is_integer():
            raise CdfscoreError(
                f"--depth {self.depth} is not accepted; expected a whole number of at least 1, or "
                f"{_ALL}"
            )
        return int(found)

    def selection(self) -> dict[str, Any]:
        """Return the scores of resource selection, or the input that they are computed from."""
        from cdfscore.retrieval.merging.sources import read_queries, read_selection, read_statistics

        if self.weights is None:
            return {}
        if self.weights != _CORI:
            return {"selection": read_selection(self.weights)}
        return {
            "statistics": read_statistics(str(self.statistics)),
            "queries": read_queries(str(self.queries)),
        }

    def lam_number(self) -> float | None:
        """Return lambda; None if the scores of a file are the weights."""
        from cdfscore.retrieval.merging.merging import CORI_LAMBDA, check_lambda

        if self.lam is None:
            return CORI_LAMBDA if self.weights == _CORI else None
        found = math.inf if self.lam == "inf" else number(self.lam)
        if found is None:
            raise CdfscoreError(
                f"--lambda {self.lam} is not accepted; expected a number of at least 0, inf, or "
                f"{_CHOSEN}"
            )
        return check_lambda(found)

    def weighted_by(self) -> dict[str, Any]:
        """Return the weights, or the input that they are computed from, for a check in R."""
        if self.lam == _CHOSEN:
            raise CdfscoreError(
                f"--lambda {_CHOSEN} cannot be verified, since R does not choose lambda; expected "
                "a number, or inf"
            )
        found, lam = self.selection(), self.lam_number()
        if lam is None:
            return {"weights": found["selection"]} if found else {}
        return {**found, "lam": lam}

    def merged(self, runs: AnyRuns, keep: int | None, name: str) -> tuple[Merged, list[str]]:
        """Merge runs after `check`, and return notes on the choice of lambda."""
        from cdfscore.retrieval.merging import (
            METHODS,
            cori,
            cross_validated_lambda,
            selection_weights,
        )
        from cdfscore.retrieval.merging.merging import as_read

        settings = self.settings
        notes: list[str] = []
        if self.lam == _CHOSEN:  # which merges them again and again
            runs = as_read(runs)
        if self.weights is not None:
            found = self.selection()
            selection = found["selection"] if "selection" in found else cori(**found)
            if self.lam == _CHOSEN:
                given = str(self.qrels), self.measure
                chosen = cross_validated_lambda(runs, selection, *given, **settings)
                selection, notes = chosen.weights, [chosen.note]
            elif (lam := self.lam_number()) is not None:
                selection = selection_weights(selection, lam)
            settings["weights"] = selection
        return METHODS[self.method](runs, **settings, keep=keep, name=name), notes


def merge(
    given: Runs,
    *,
    merging: Merging,
    keep: int | None = None,
    run_id: str = "merged",
    out: Annotated[
        str | None, Written((".run", ".txt", ".trec", ""), is_result=True), OR_TABLE
    ] = None,
) -> None:
    """Merge ranked lists of several sources into one run.

    A scheme is fitted to the scores of each list and normalizes them. Weights may express how well
    a source fits a topic. Lists are ordered as in trec_eval: by descending score in single
    precision, and equal scores by descending document id.

    Examples:
    cdfscore merge a.run b.run --normalize minmax --depth 100 -o merged.run
    cdfscore merge a.run b.run --method rrf --k 60 -o merged.run
    cdfscore merge a.run b.run --normalize z --weights w.csv --duplicates sum

    Parameters
    ----------
    run : RUN
        Run files, one for each source, plain or compressed by gzip or zstd. Use - for standard
        input. The run id is the name of the source; NAME=FILE gives it another name.
    keep : N
        Number of documents to write from the top of each merged list. Default: all.
    run_id : ID
        Run id of the output.
    out : OUT
        Output file for the merged run: .run, .txt or .trec.
    """
    import pyarrow as pa

    from cdfscore.report.writing import Captioned, Column, shown_score
    from cdfscore.retrieval.merging.merging import check_depth
    from cdfscore.retrieval.runs import RunFile

    merging.check()
    check_depth("keep", keep)
    # This pool returns unused memory to the system: 100 MB for 6,750,000 documents.
    pa.set_memory_pool(pa.system_memory_pool())
    runs = [RunFile(path, name) for name, path in given.files]
    merged, notes = merging.merged(runs, keep, run_id)
    write_outputs((out, lambda _: merged.encoded()))
    if out is None:
        first = replace(merged, parts=merged.parts[:1]).frame()
        columns = [
            Column(name, name in ("rank", "score"), list(map(str, first[name])))
            for name in ("topic", "rank", "document", "score", "source")
        ]
        columns[3] = replace(columns[3], cells=list(map(shown_score, first["score"])))
        count = sum(len(part.document) for part in merged.parts)
        show_result([Captioned("", "", columns)], "document", count=count)
    say(*notes, *merged.notes)


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
    cdfscore measure *.run --qrels qrels --measure AP --measure P@10 -o a.csv
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
    if jobs is None:
        size = 0
        for _, path in given.files:
            with suppress(OSError, ValueError):
                size += Path(path).stat().st_size
        jobs = min(cores(), max(1, size // _BYTES_OF_A_PROCESS))
    with (
        shown_progress("nothing is written") as begin,
        process_pool(min(len(given.files), jobs)) as executor,
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


def _encoded(measured: Measured, path: Path, *, long: bool = False) -> bytes:
    from cdfscore.scores.tables import DELIMITERS, encode_frame
    from cdfscore.scores.writing import CHECKSUMS, encode_scores

    matrices = [*measured.matrices.values()]
    if len(matrices) == 1 and not long:
        return encode_scores(matrices[0], path)
    ending = path.suffix.lower()
    if ending == ".parquet":
        return bytes(measured.frame().to_parquet(index=False, **CHECKSUMS))
    return encode_frame(measured.frame(), DELIMITERS[ending])
