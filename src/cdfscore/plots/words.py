"""What people call schemes, tests, corrections, effect sizes, measures and scores."""

from __future__ import annotations

from cdfscore.scores.results.names import usual_name
from cdfscore.stats.adjustment import CORRECTIONS
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.schemes.base import scheme_label as scheme_label
from cdfscore.stats.significance.contract import ChosenTest

# Measures whose names are words, by their usual names.
_MEASURES = {
    "ap": "average precision",
    "rr": "reciprocal rank",
    "p": "precision",
    "r": "recall",
    "ndcg": "nDCG",
}


def label_of_test(chosen: ChosenTest) -> str:
    """Return a test as people name it, with the settings that are given.

    >>> from cdfscore import parse_test
    >>> label_of_test(parse_test("wilcoxon_signed_rank:exact=False"))
    'Wilcoxon signed-rank test (exact False)'
    """
    own = ", ".join(f"{name} {value}" for name, value in chosen.given.items())
    return f"{chosen.test.label} ({own})" if own else chosen.test.label


def the_test(label: str) -> str:
    """Return the label of a test within a sentence, with its article.

    >>> the_test("paired t test"), the_test("Friedman's test")
    ('the paired t test', "Friedman's test")
    """
    return label if label.partition(" ")[0].endswith("'s") else f"the {label}"


def correction_label(adjust: str) -> str:
    """Return a correction as people name it, "" for none.

    >>> correction_label("holm"), correction_label("none")
    ("Holm's correction", '')
    """
    return CORRECTIONS[adjust].label


def after_correction(adjust: str) -> str:
    """Return the correction within a sentence, " after Holm's correction", "" for none."""
    return f" after {label}" if (label := correction_label(adjust)) else ""


def effect_label(effect: str) -> str:
    """Return an effect size as people name it.

    >>> effect_label("hedges_g"), effect_label("d_z")
    ("Hedges' g", 'd_z')
    """
    return effect_sizes.load(effect).label if effect else ""


def measure_label(measure: str | None) -> str:
    """Return a measure in words, or "score" if it is not known.

    >>> measure_label("map"), measure_label("P_10"), measure_label("ERR@20"), measure_label(None)
    ('average precision', 'precision at 10', 'ERR@20', 'score')
    """
    if measure is None:
        return "score"
    name, _, cutoff = usual_name(measure).partition("@")
    if name not in _MEASURES:
        return measure
    return _MEASURES[name] + (f" at {cutoff}" if cutoff else "")


def score_label(scheme: str, measure: str | None = None, *, mean: bool = False) -> str:
    """Return the label of an axis of scores.

    >>> score_label("empirical", "map", mean=True)
    'Mean average precision, standardized by E-std'
    >>> score_label("raw", "nDCG@20"), score_label("kernel")
    ('nDCG at 20', 'Score, standardized by kernel')
    """
    words = ("mean " if mean else "") + measure_label(measure)
    words = words[:1].upper() + words[1:] if words[0] != "n" else words
    return words if scheme == "raw" else f"{words}, standardized by {scheme_label(scheme)}"
