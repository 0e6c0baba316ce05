"""Runs to scores: ``cdfscore measure`` beside ir_measures, pytrec_eval and ranx.

``python -m validation.benchmarks --runs`` prints this table alone. Each program reads the same
files in a process of its own, and measures each run by topic; the start of the process counts.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from cdfscore.stats.numerics.types import Array
from validation.benchmarks.growth import Cost, process_cost

TITLE = "100 runs x 225 topics x 1,000 documents, measured by AP, nDCG@20, P@10, RR and R@1000"
HEADINGS = ("", "seconds", "CPU seconds", "peak MB", "ratio")
RUNS, TOPICS, DEPTH = 100, 225, 1_000
#: Documents of a topic that runs take theirs from, and how many of them are judged.
POOL, JUDGED = 2_000, 200
_SEED = 8
_TURNS = 3
#: Takes minutes.
_ONCE = ("ranx",)
_OURS = "from cdfscore.cli import main; main()"
_MEASURES = ("AP", "nDCG@20", "P@10", "RR", "R@1000")
_IR_MEASURES = """
import sys, ir_measures
from ir_measures import AP, P, R, RR, nDCG
qrels, *runs = sys.argv[1:]
evaluator = ir_measures.evaluator(
    [AP, nDCG @ 20, P @ 10, RR, R @ 1000], list(ir_measures.read_trec_qrels(qrels))
)
found = {run: list(evaluator.iter_calc(ir_measures.read_trec_run(run))) for run in runs}
"""
_PYTREC_EVAL = """
import sys, pytrec_eval
qrels, *runs = sys.argv[1:]
measures = {"map", "ndcg_cut_20", "P_10", "recip_rank", "recall_1000"}
with open(qrels) as lines:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), measures)
found = {}
for run in runs:
    with open(run) as lines:
        found[run] = evaluator.evaluate(pytrec_eval.parse_run(lines))
"""
_RANX = """
import sys
from ranx import Qrels, Run, evaluate
path, *runs = sys.argv[1:]
qrels = Qrels.from_file(path, kind="trec")
found = {}
for path in runs:
    run = Run.from_file(path, kind="trec")
    evaluate(qrels, run, ["map", "ndcg@20", "precision@10", "mrr", "recall@1000"])
    found[path] = dict(run.scores)
"""


def rows() -> Iterator[tuple[str, ...]]:
    """Yield a row a program; the ratio is to ir_measures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs, qrels = write_files(folder)
        measures = [word for each in _MEASURES for word in ("--measure", each)]
        ours = [_OURS, "measure", *runs, "--qrels", qrels, *measures, "-o", "out.csv"]
        programs = {
            "ir_measures": [_IR_MEASURES, qrels, *runs],
            "cdfscore measure": ours,
            "cdfscore measure --jobs 1": [*ours, "--jobs", "1"],
            "pytrec_eval": [_PYTREC_EVAL, qrels, *runs],
            "ranx": [_RANX, qrels, *runs],
        }
        costs: dict[str, list[Cost]] = {label: [] for label in programs}
        for turn in range(_TURNS):
            for label, arguments in programs.items():
                if turn and label in _ONCE:
                    continue
                costs[label].append(process_cost([sys.executable, "-c", *arguments], folder))
        theirs = statistics.median(cost.seconds for cost in costs["ir_measures"])
        for label, found in costs.items():
            seconds = statistics.median(cost.seconds for cost in found)
            yield (
                label,
                f"{seconds:.2f}",
                f"{statistics.median(cost.processor for cost in found):.2f}",
                f"{max(cost.peak for cost in found) / 2**20:,.0f}",
                f"{seconds / theirs:.2f}",
            )


def write_files(folder: Path) -> tuple[list[str], str]:
    """Write runs and qrels; return their names in the folder."""
    rng = np.random.default_rng(_SEED)
    pools = [[f"FR94{t:04d}-{t % 9}-{d:05d}" for d in range(POOL)] for t in range(TOPICS)]
    levels = rng.choice([0, 0, 0, 1, 1, 2], (TOPICS, JUDGED)).tolist()
    qrels = [
        f"{301 + topic} 0 {document} {level}\n"
        for topic, (pool, row) in enumerate(zip(pools, levels, strict=True))
        for document, level in zip(pool[:: POOL // JUDGED], row, strict=True)
    ]
    (folder / "qrels").write_text("".join(qrels))
    names = [f"run{i + 1}" for i in range(RUNS)]
    for name in names:
        drawn = rng.random((TOPICS, POOL)).argsort(axis=1)[:, :DEPTH].tolist()
        scores = -np.sort(-rng.gamma(2.0, 3.0, (TOPICS, DEPTH)).round(6), axis=1)
        documents = ([pool[d] for d in row] for pool, row in zip(pools, drawn, strict=True))
        write_run(folder / name, documents, scores)
    return names, "qrels"


def write_run(path: Path, documents: Iterable[Sequence[str]], scores: Array) -> None:
    """Write the documents of each topic with their scores, which fall; the file names the run."""
    with path.open("w") as stream:
        for topic, (row, values) in enumerate(zip(documents, scores.tolist(), strict=True)):
            stream.writelines(
                f"{301 + topic} Q0 {document} {rank} {value} {path.name}\n"
                for rank, (document, value) in enumerate(zip(row, values, strict=True), start=1)
            )
