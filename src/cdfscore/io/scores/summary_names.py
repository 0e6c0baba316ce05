"""Names of summaries among scores: the row ``all`` of trec_eval, ``Avg.``, ``macro avg``.

A label is the name of a summary if all of its words are known and one of them says so; signs
and the case of letters do not count. ``Mean AP`` is a summary, and ``bm25-mean-pooling`` is not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

#: Words that are a summary alone and with others.
_SUMMARIES = frozenset(
    {
        *("aggregate", "amean", "average", "averaged", "averages", "avg", "gmap", "gmean", "hmean"),
        *("mean", "means"),
        *("median", "overall", "stddev", "stderr", "stdev", "sum", "total", "totals"),
    }
)
#: Words that are a summary only if they are alone; ``std::map`` is not one.
_ALONE = frozenset({"std", "25%", "50%", "75%"})
#: Words that are a summary with others only; alone they may be a topic or a system.
_WITH_OTHERS = frozenset({"gm"})
#: Measures that may have a cutoff, as ``ndcg@10`` and ``ndcg_cut_10``.
_MEASURES = frozenset(
    {
        *("acc", "accuracy", "ap", "auc", "bleu", "bpref", "cer", "cut", "dcg", "em", "err"),
        *("error", "f", "f1", "map", "mrr", "ndcg", "perplexity", "ppl", "precision", "rate"),
        *("rbp", "recall", "rmse", "rouge", "rr", "success", "wer"),
    }
)
#: Words that have a number after them, as ``n=50`` and ``P@10``.
_WITH_NUMBER = frozenset({"n", "p"})
#: Words that may have a number after them.
_BEFORE_NUMBERS = _MEASURES | _WITH_NUMBER | {"all", "of", "over"}
#: Words that may have a number before them.
_COUNTED = frozenset(
    {"datasets", "queries", "query", "runs", "systems", "task", "tasks", "topic", "topics"}
)
#: Words that a summary may have beside them.
_BESIDE = (
    _MEASURES
    | _COUNTED
    | {
        *("all", "and", "by", "of", "or", "over", "per", "the"),
        *("arithmetic", "column", "geometric", "grand", "harmonic", "macro", "micro", "row"),
        *("unweighted", "weighted"),
        *("score", "scores", "sd", "std"),
    }
)
#: Words that are one.
_PHRASES = re.compile(
    r"\b(?:(std|standard) (?:dev|deviation|err|error)|(reciprocal) rank|(word error) rate)\b"
)
#: Labels of a whole that are no scores, in any place.
_NO_SCORES = frozenset({"measure", "num_q", "num_rel", "num_rel_ret", "num_ret", "runid"})
#: Rows that sum up the topics, the first of them in trec_eval; a system may have this name.
_OF_TOPICS = frozenset({"all", "all queries", "all topics", "map"})
#: Names that pandas' ``describe`` gives. Two or more of them are its rows; one, such as a topic
#: ``max``, may be a label as any other.
_DESCRIBED = frozenset({"count", "mean", "std", "min", "25%", "50%", "75%", "max", "median"})

_NUMBER = re.compile(r"\d+(?![\d%])")
_RUN = re.compile(r"[^\W\d_]+|\d+%?")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_KNOWN = _SUMMARIES | _WITH_OTHERS | _BESIDE
# Every such label has one of these in it. A text is searched for them faster than for a pattern.
_TELLING = sorted(
    {"standard", *_SUMMARIES, *_ALONE, *_WITH_OTHERS, *_NO_SCORES, *_OF_TOPICS, *_DESCRIBED}
)


def telling_labels(labels: Sequence[str]) -> list[str]:
    """Return the labels with a word in them that every name of a summary has one of."""
    text = "\n".join(labels).casefold()
    telling = [word for word in _TELLING if word in text]
    if not telling:
        return []
    return [label for label in labels if any(word in label.casefold() for word in telling)]


def named_summaries(kind: str, labels: Sequence[str], number: int | None = None) -> Iterator[str]:
    """Yield those of the labels of topics or systems, the `kind`, that are names of summaries.

    If `labels` are only the telling ones of all labels, `number` is that of all.
    """
    telling = telling_labels(labels)
    number = len(labels) if number is None else number
    if not telling:
        return
    # Labels that differ in a number only are looked at once.
    alike: dict[str, list[str]] = {}
    for label in telling:
        alike.setdefault(_NUMBER.sub("1", label), []).append(label)
    found = [(own, _words(own[0])) for own in alike.values()]
    described = sum(len(own) for own, words in found if " ".join(words) in _DESCRIBED) > 1
    counted = Counter[tuple[str, ...]]()
    for own, words in found:
        counted[_without_numbers(words)] += len(own)
    for own, words in found:
        # A summary may be of fewer topics than there are labels: others are summaries as well.
        # Labels such as avg1 and avg2 have numbers of their own.
        numbered = counted[_without_numbers(words)] > 1
        counts = range(0) if numbered else range(max(1, number - 3), number)
        text = " ".join(words)
        if (
            _is_summary(words, counts)
            or "_".join(words) in _NO_SCORES
            or (kind == "topic" and text in _OF_TOPICS)
            or (described and text in _DESCRIBED)
        ):
            yield from own


def _is_summary(words: list[str], counts: range) -> bool:
    """Tell whether all words are known and one says so; `counts` are numbers of what it sums up."""
    telling = _SUMMARIES | (_ALONE if len(_without_numbers(words)) == 1 else _WITH_OTHERS)
    if telling.isdisjoint(words):
        return False
    known = _KNOWN | telling
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word.isdecimal():
            counted = before in _BEFORE_NUMBERS or after in _COUNTED
            if not counted and int(word) not in counts:
                return False
        elif word not in known and not (word in _WITH_NUMBER and after.isdecimal()):
            return False
    return True


def _without_numbers(words: list[str]) -> tuple[str, ...]:
    return tuple(word for word in words if not word.isdecimal())


def _words(label: str) -> list[str]:
    """Return the words and numbers of a label; ``MeanAP`` has two words, and ``nDCG`` one."""
    words: list[str] = []
    for run in _RUN.findall(label):
        folded = run.casefold()
        known = folded in _KNOWN or not run.isascii() or run[0].isdecimal()
        words += [folded] if known else [part.casefold() for part in _CAMEL.findall(run)]
    return _PHRASES.sub(_one_word, " ".join(words)).split()


def _one_word(phrase: re.Match[str]) -> str:
    return "stddev" if phrase[1] else "rr" if phrase[2] else "wer"
