"""What the data card says of the collection and of the scores in words, and whether it is so."""

import numpy as np

from .card_tables import Results, codes, peculiarities
from .collection import GAIN_OF_CODE, SOURCE_CODE

NO_INTEREST = 5
#: P@10 and RR have fewer values than the other measures, by this factor and more.
FEWER = 5


def page_claims(results: Results) -> dict[str, bool]:
    """Return the claims of the card."""
    judgments = results.collection.judgments
    ranks = {row["code"]: row["rank"] for row in codes(results)}
    others = [ranks[code] for code in GAIN_OF_CODE if ranks[code] is not None]
    rows = {row["name"]: row for row in peculiarities(results.topics, results.matrices)}
    return {
        "No score is missing": not any(np.isnan(m).any() for m in results.matrices.values()),
        "5 (no interest) is defined and does not occur": (
            judgments.code_counts()[NO_INTEREST] == 0
        ),
        "Every topic has exactly one such line, always its last": all(
            [*judged.values()].index(SOURCE_CODE) == len(judged) - 1
            for judged in judgments.codes.values()
        ),
        "it ranks far better than documents of any other code": (
            ranks[SOURCE_CODE] < min(others) / 2
        ),
        "On the topics that are all 0, no system has a relevant document in its first 10 ranks": (
            all(set(row["zero"]) <= set(rows["p10"]["zero"]) for row in rows.values())
        ),
        "P@10 and RR take few values": all(
            rows[name]["distinct"] < min(rows["ap"]["distinct"], rows["ndcg10"]["distinct"]) / FEWER
            for name in ("p10", "rr")
        ),
    }
