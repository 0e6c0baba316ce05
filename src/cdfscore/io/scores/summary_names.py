"""Names of summaries among scores: the row ``all`` of trec_eval, ``Avg.``, ``macro avg``.

A label is the name of a summary if all of its words are known and one of them says so; signs
and the case of letters do not count. So ``Mean AP`` is one, and ``bm25-mean-pooling`` is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

#: Words that are a summary alone and with others.
_SUMMARIES = frozenset(
    {
        *("amean", "average", "averages", "avg", "gmean", "hmean", "mean", "means", "median"),
        *("overall", "sum", "total", "totals"),
    }
)
#: Words that are a summary alone only; ``std::map`` is none.
_ALONE = frozenset({"std", "stddev", "stdev", "25%", "50%", "75%"})
#: Words that are a summary with others only; alone they may be a topic or a system.
_WITH_OTHERS = frozenset({"gm", "macro", "micro"})
#: Words that a summary may have beside them.
_BESIDE = frozenset(
    {
        *("all", "and", "by", "of", "or", "over", "per", "the"),
        *("arithmetic", "geometric", "grand", "harmonic", "weighted"),
        *("ap", "bpref", "map", "mrr", "ndcg", "rr", "score", "scores"),
        *("queries", "query", "runs", "systems", "topic", "topics"),
    }
)
#: Labels of a whole that are no scores, in any place.
_NO_SCORES = frozenset({"measure", "num_q", "num_rel", "num_rel_ret", "num_ret", "runid"})
#: The row of trec_eval that sums up the topics; a system may have this name.
_OF_TOPICS = frozenset({"all", "all queries", "all topics"})
#: Names that pandas' ``describe`` gives. Two or more of them are its rows; one, such as a topic
#: ``max``, may be a label as any other.
_DESCRIBED = frozenset({"count", "mean", "std", "min", "25%", "50%", "75%", "max", "median"})

_WORD = re.compile(r"[^\W_]+%?")
_KNOWN = _SUMMARIES | _WITH_OTHERS | _BESIDE
# The first word of every such label.
_FIRST = re.compile(
    rf"[\W_]*(?:{'|'.join(sorted(_KNOWN | _ALONE | _NO_SCORES | _DESCRIBED))})(?![^\W_])",
    re.IGNORECASE,
)


def named_summaries(kind: str, labels: Sequence[str]) -> Iterator[str]:
    """Yield those of the labels of topics or systems, the `kind`, that are names of summaries."""
    # No word of a summary ends in a digit, and most labels do.
    some = [label for label in labels if not label[-1:].isdigit() and _FIRST.match(label)]
    found = [(label, _words(label)) for label in some]
    described = sum(" ".join(words) in _DESCRIBED for _, words in found) > 1
    for label, words in found:
        text = " ".join(words)
        if (
            _is_summary(words)
            or "_".join(words) in _NO_SCORES
            or (kind == "topic" and text in _OF_TOPICS)
            or (described and text in _DESCRIBED)
        ):
            yield label


def _is_summary(words: Iterable[str]) -> bool:
    words = list(words)
    telling = _SUMMARIES | (_ALONE if len(words) == 1 else _WITH_OTHERS)
    return not telling.isdisjoint(words) and (_KNOWN | telling).issuperset(words)


def _words(label: str) -> list[str]:
    return _WORD.findall(label.casefold())
