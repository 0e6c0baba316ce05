"""trec_eval's measures of a run, unrounded.

pytrec_eval carries trec_eval 9. The expected outputs are of trec_eval 10, which has three
measures more (rbp, rbp_resid and unj) and rounds the recall levels of iprec_at_recall and
11pt_avg otherwise; these five are computed here, from trec_eval's own descriptions of them.
"""

from collections.abc import Iterable
from types import ModuleType

Scores = dict[str, dict[str, float]]  # topic, measure -> score

PERSISTENCE = 0.9  # of rbp, as trec_eval's default
LEVELS = [level / 10 for level in range(11)]
CUTOFFS = (5, 10, 20)  # of unj
# Only for all topics together, or text: pytrec_eval has no score of a topic for them.
NO_SCORES = {"runid", "num_q", "gm_map", "gm_bpref", "relstring"}


def scores_of_run(
    pytrec_eval: ModuleType, run_lines: Iterable[str], qrel_lines: Iterable[str]
) -> Scores:
    """Measure a run by topic, with every measure of trec_eval's ``-m all_trec``."""
    run = pytrec_eval.parse_run(run_lines)
    qrels = pytrec_eval.parse_qrel(qrel_lines)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"})
    scores = evaluator.evaluate(run)
    for topic, by_measure in scores.items():
        judgments = ranking(run[topic], qrels[topic])
        relevant = sum(level > 0 for level in qrels[topic].values())
        by_measure.update(interpolated_precision(judgments, relevant))
        by_measure.update(rank_biased_precision(judgments))
        for k in CUTOFFS:
            by_measure[f"unj_{k}"] = sum(level is None for level in judgments[:k]) / k
        for measure in NO_SCORES:
            del by_measure[measure]
    return scores


def relevance_string(judgments: list[int | None]) -> str:
    """Return the first ten judgments as trec_eval prints them."""
    return "'" + "".join("-" if level is None else str(level) for level in judgments[:10]) + "'"


def ranking(run: dict[str, float], qrels: dict[str, int]) -> list[int | None]:
    """Return the judgments in the order of the run, None where a document is not judged.

    trec_eval ranks by descending score, and equal scores by descending document number.
    """
    documents = sorted(run, key=lambda document: (run[document], document), reverse=True)
    return [qrels.get(document) for document in documents]


def interpolated_precision(judgments: list[int | None], relevant: int) -> dict[str, float]:
    """Return the highest precision from the document on that completes each level of recall.

    A level of recall is a number of relevant documents: since trec_eval 10 the nearest whole
    number, halves up; before, the next whole number if the fraction is 0.1 or more.
    """
    found = [rank for rank, level in enumerate(judgments, start=1) if level]
    precisions = [count / rank for count, rank in enumerate(found, start=1)]
    values = []
    for level in LEVELS:
        needed = max(1, int(level * relevant + 0.5))
        values.append(max(precisions[needed - 1 :], default=0.0))
    by_level = {
        f"iprec_at_recall_{level:.2f}": value for level, value in zip(LEVELS, values, strict=True)
    }
    return {**by_level, "11pt_avg": sum(values) / len(values)}


def rank_biased_precision(judgments: list[int | None]) -> dict[str, float]:
    """Return RBP, and by how much more it might be were all unjudged documents relevant.

    Moffat and Zobel (2008). The residual counts what comes after the last document too, but,
    as in trec_eval, is 0 when every document retrieved is judged.
    """
    weights = [PERSISTENCE**rank for rank in range(len(judgments))]
    gained = sum(w for w, level in zip(weights, judgments, strict=True) if level)
    unjudged = [w for w, level in zip(weights, judgments, strict=True) if level is None]
    tail = PERSISTENCE ** len(judgments) if unjudged else 0.0
    return {
        "rbp": (1 - PERSISTENCE) * gained,
        "rbp_resid": tail + (1 - PERSISTENCE) * sum(unjudged),
    }
