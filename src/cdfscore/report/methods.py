"""A methods paragraph and a results paragraph of a comparison, to paste into a paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from cdfscore import __version__
from cdfscore.common.text import counted, listed, part_of, written
from cdfscore.comparison.pairs import check_symmetric
from cdfscore.comparison.ranking import tied
from cdfscore.errors import SchemeError, SignificanceError, check_one_of
from cdfscore.plots.words import (
    after_correction,
    correction_label,
    label_of_test,
    measure_label,
    scheme_label,
    the_test,
)
from cdfscore.report.writing import as_sentence, escaped, fixed
from cdfscore.standardization.policies import CONSTANT_TOLD, MISSING_TOLD, used
from cdfscore.stats.adjustment import CORRECTIONS
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.schemes.base import Scheme, parse_scheme
from cdfscore.stats.significance.contract import AllSystems

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison

Style = Literal["text", "latex", "markdown"]

#: Systems that a sentence names; more are counted.
NAMED = 8
# "Kendall (1938, 1945)": papers of one author.
_SEVERAL = re.compile(r"(\w+) \((\d{4}), (\d{4})\)")


@cache
def entries() -> dict[str, str]:
    """Return all entries of BibTeX by the name that sources have for them: "Holm (1979)"."""
    text = (resources.files("cdfscore.report.page") / "sources.bib").read_text(encoding="utf-8")
    return dict(re.findall(r"^% (.+)\n(@(?:.+\n)+)", text, flags=re.MULTILINE))


def papers(source: str) -> list[str]:
    """Return the papers that a source names and that have an entry, in the order of the source.

    >>> papers("Kendall (1938, 1945); R: cor.test(x, y, method = 'kendall')")
    ['Kendall (1938)', 'Kendall (1945)']
    """
    text = _SEVERAL.sub(r"\1 (\2), \1 (\3)", source)
    found = {text.index(name): name for name in entries() if name in text}
    return [found[place] for place in sorted(found)]


def cited(source: str, style: Style) -> str:
    """Return the citations of a source: (Urbano et al., 2019), keys of LaTeX or of Markdown.

    >>> cited("Urbano, Lima and Hanjalic (2019), Eq. 7", "text")
    'Urbano et al., 2019'
    >>> cited("Benjamini and Hochberg (1995)", "text"), cited("Holm (1979)", "latex")
    ('Benjamini and Hochberg, 1995', 'holm1979')
    """
    names = papers(source)
    if style != "text":
        return (", " if style == "latex" else "; ").join(
            "@" * (style == "markdown") + entries()[name].partition("{")[2].partition(",")[0]
            for name in names
        )
    found = []
    for name in names:
        authors, _, year = name.rpartition(" (")
        several = authors.split(",")[0] + " et al." if "," in authors else authors
        found.append(f"{several}, {year.removesuffix(')')}")
    return "; ".join(found)


def methods(comparison: Comparison, style: Style = "text", *, verified: str = "") -> str:
    """Return a methods paragraph: data, standardization, test, intervals, software.

    Parameters
    ----------
    comparison
        A result of `cdfscore.compare`.
    style
        "text"; "latex", with the keys of the BibTeX entries in ``\\citep``; or "markdown", with
        the same keys as ``[@key]``.
    verified
        What else computed the numbers, such as "R 4.2.2".

    Raises
    ------
    SignificanceError
        For an unknown style, and for two collections.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> from cdfscore.report.methods import methods
    >>> print(methods(compare(datasets.load_cranfield("ap").iloc[:, :3], "max_t")))
    We compared 3 systems by average precision on 225 topics. No score was missing. All 3 pairs \
of systems were tested by the step-down max-T test (two-sided; Westfall and Young, 1993; Ge \
et al., 2003), whose p values hold for all pairs together, at level 0.05, with up to 10,000 \
resamples (seed 0). The effect size is d_z (Cohen, 1988), with 95 % confidence intervals of \
single pairs. Numbers were computed by cdfscore 0.1.0.
    """
    check_one_of("style", style, get_args(Style), SignificanceError)
    if comparison.family.split:
        raise SignificanceError(
            "a methods paragraph needs systems of one collection; expected a result of compare"
        )
    quote: Callable[[str], str] = escaped if style == "latex" else str

    def cite(source: str, *more: str) -> str:
        """Return a parenthesis with citations of a source, and more words."""
        keys, words = cited(source, style), "; ".join(more)
        if style == "latex" and keys:
            return f" ({words}; \\citealp{{{keys}}})" if words else f" \\citep{{{keys}}}"
        if style == "markdown" and keys:
            return f" ({words}) [{keys}]" if words else f" [{keys}]"
        both = "; ".join(filter(None, [words, keys]))
        return f" ({both})" if both else ""

    sentences = [*_on_scores(comparison, cite, quote), _on_tests(comparison, cite, quote)]
    sentences += _on_estimates(comparison, cite, quote)
    software = f"Numbers were computed by cdfscore {__version__}"
    also = f", and compared with those of {quote(verified)}, which agree" if verified else ""
    return " ".join([*sentences, f"{software}{also}."])


def _on_scores(
    comparison: Comparison, cite: Callable[..., str], quote: Callable[[str], str]
) -> list[str]:
    system, topic = comparison.units
    systems = counted(len(comparison.systems), system)
    measure = measure_label(comparison.measure)
    by = "" if measure == "score" else f" by {quote(measure)}"
    of_topics = counted(comparison.topics, topic)
    found = [f"We compared {systems}{by} on {of_topics}."]
    for reversal in dict.fromkeys(filter(None, comparison.reversals.values())):
        words = quote(reversal.replace("topic", topic, 1))
        where = " there" if "every" not in reversal else ""
        found.append(f"Scores were {words}, because lower ones are better{where}.")
    fitted = [scheme for scheme in comparison.schemes if scheme != "raw"]
    number = re.fullmatch(r"([\d,]+) systems?(?:, [^;]*)?", comparison.reference)
    others = f"{number[1]} reference {system}s" if number else f"its reference {system}s"
    whose = f"the {systems}" if comparison.fitted_to == "these scores" else others
    fits = (each.standardized.factors.fitted.scheme for each in comparison.tested)
    objects = {str(each): each for each in fits}
    ways = []
    for scheme in fitted:
        basis, source = Scheme.basis, ""
        with suppress(SchemeError):  # of two collections by a scheme that has no name
            own = objects.get(scheme) or parse_scheme(scheme)
            basis, source = own.basis, own.source
        name, _, given = scheme_label(scheme).removesuffix(")").partition(" (")
        paper = cite(source, quote(", ".join(filter(None, [name, given]))))
        ways.append(f"{basis} {whose}{paper}")
    if ways:
        found.append(f"Scores were standardized per {topic} {', and separately '.join(ways)}.")
    if fitted and "raw" in comparison.schemes:
        found.append("Scores were also analyzed without standardization.")
    scored = [each.standardized for each in comparison.tested]
    constant = {
        name
        for each in scored
        if each.factors.fitted.parameters or each.factors.constant == "drop_topic"
        for name in each.constant_topics
    }
    if constant:
        told = CONSTANT_TOLD.get(comparison.constant, f"the policy {comparison.constant} applied")
        hows = [(each.factors.constant, each.factors.fitted.scheme) for each in scored]
        if fitted and not any(used(*how) for how in hows if str(how[1]) != "raw"):
            told = f"the formula was used as on other {topic}s"
        where = f"all reference scores of a {topic} were equal ({counted(len(constant), topic)})"
        found.append(f"Where {where}, {told}.")
    for each in scored:
        if each.unfitted_topics:
            label = quote(scheme_label(str(each.factors.fitted.scheme)))
            many = counted(count := len(each.unfitted_topics), f"other {topic}")
            told = "was left out" if count == 1 else "were left out"
            if each.factors.unfitted != "drop_topic":
                told = "got no standardized scores"
            found.append(f"The scheme {label} could not be fitted to {many}, which {told}.")
    missing, first = comparison.missing, scored[0]
    zeros = len(first.topics_taken_as_zero)
    if not first.given.missing() and not zeros:
        missing = "raise"
    told = MISSING_TOLD.get(missing, f"Missing scores: policy {missing}.")
    if missing == "omit" and comparison.chosen.test.samples == "unpaired":
        told = "Where a score was missing, a {system} was tested on its other {topics}."
    if zeros:
        told += f" The scores lacked {counted(zeros, topic)}, which counted as 0 too."
    other = None if first.fitted_to == "these scores" else first.reference
    if other is not None and other.missing() and comparison.missing != "raise":
        how = {"zero": "counted as 0", "omit": "were omitted"}.get(
            comparison.missing, "were left out with their {topics}"
        )
        told += f" Missing scores of reference {{systems}} {how}."
    told = told.format(topic=topic, topics=f"{topic}s", system=system, systems=f"{system}s")
    return [*found, told]


def _on_tests(comparison: Comparison, cite: Callable[..., str], quote: Callable[[str], str]) -> str:
    system, topic = comparison.units
    test, table = comparison.chosen.test, comparison.table
    settings, family = comparison.chosen.settings, comparison.family
    level = f"at level {written(comparison.alpha)}"
    each = f" for each of {len(comparison.schemes)} forms of the scores" * (
        len(comparison.schemes) > 1
    )
    sided = str(settings.get("alternative", ""))
    if sided not in ("", "two-sided"):
        first, second = table[["system_a", "system_b"]].iloc[0]
        way = f"{first} {sided} than {second}" if len(table) == 1 else f"alternative {sided}"
        sided = f"one-sided, {way}"
    own = [
        f"{key} {value}"
        for key, value in comparison.chosen.given.items()
        if key not in ("alternative", "B", "seed", "conf_level")
    ]
    by = quote(the_test(test.label)) + cite(test.source, *map(quote, filter(None, [sided, *own])))
    resamples = ""
    if "B" in settings:
        resamples = f", with up to {settings['B']:,} resamples (seed {settings['seed']})"
    if isinstance(test, AllSystems):
        return f"Whether any of the {system}s differ was tested by {by} {level}{resamples}{each}."
    pairs = counted(len(family), "pair")
    what = f"All {pairs} of {system}s" if len(family) > 1 else f"The two {system}s"
    if family.baselines and len(family) > 1:
        which = f"the baseline {quote(family.baselines[0])}"
        if len(family.baselines) > 1:
            which = f"a baseline ({quote(listed(family.baselines))})"
        what = f"The {pairs} of {which} and another {system}"
    told = f"{what} were tested by {by}"
    if comparison.simultaneous:
        told += ", whose p values hold for all pairs together,"
    elif len(family) > 1:
        label = correction_label(comparison.adjust)
        paper = cite(CORRECTIONS[comparison.adjust].source)
        told += f" with {label}{paper}" if label else ", without a correction for many tests,"
    n = sorted({int(k) for k in table["n"]})
    several = len(n) > 1 and test.samples != "unpaired" and len(comparison.schemes) == 1
    topics = f" Pairs have {n[0]:,} to {n[-1]:,} {topic}s in common." if several else ""
    return f"{told} {level}{resamples}{each}.{topics}"


def _on_estimates(
    comparison: Comparison, cite: Callable[..., str], quote: Callable[[str], str]
) -> list[str]:
    table, test = comparison.table, comparison.chosen.test
    found = []
    system, topic = comparison.units
    percent = quote(f"{100 * comparison.chosen.conf_level:.12g} %")
    if table["conf_low"].notna().any():
        kind = "simultaneous for" if comparison.simultaneous else "not adjusted for the number of"
        of, which = (f", {kind} all pairs", "Each") if len(table) > 1 else ("", "The")
        of = of.replace("number of all", "number of")
        found.append(f"{which} {test.estimates} has a {percent} confidence interval{of}.")
    if comparison.effect and table["effect_size"].notna().any():
        effect = effect_sizes.load(comparison.effect)
        label = quote(effect.label) + cite(effect.source)
        article = "the " if label.startswith(("rank", "matched")) else ""
        with_intervals = f"with {percent} confidence intervals of single pairs"
        if len(table) == 1:
            with_intervals = f"with a {percent} confidence interval"
        if table["effect_low"].isna().all():
            with_intervals = "without intervals"
        found.append(f"The effect size is {article}{label}, {with_intervals}.")
    if (of_both := comparison.uncertainty) is not None:
        found.append(
            f"Standard errors of differences of means are from the {topic}s, from the "
            f"{of_both.systems} reference {system}s, which were drawn with replacement "
            f"({quote(of_both.method)}), and from both, with {percent} intervals for each "
            "difference separately."
        )
    if comparison.mean_ranks is not None:
        found.append(f"Ranks are within {topic}s, and 1 is the best.")
    return found


def results(comparison: Comparison, style: Style = "text") -> str:
    """Return a results paragraph, which claims no more than was found.

    It names no source, so that "markdown" is as "text"; "latex" has its escapes. A system is ahead
    of another by the sign of the estimate, or of the effect size (`Comparison.ahead`).

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> from cdfscore.report.methods import results
    >>> scores = datasets.load_cranfield("ap")[["lsa200", "tfidf", "pl2_c1"]]
    >>> print(results(compare(scores, "paired_t")))
    2 of 3 pairs of systems differ significantly by the paired t test at level 0.05 after Holm's \
correction. lsa200 has the highest mean, 0.4059, and differs significantly from every other \
system. A difference that is not significant is not shown to be absent.
    """
    found = []
    for scheme in comparison.schemes:
        by = f"By {scheme_label(scheme)}: " if len(comparison.schemes) > 1 else ""
        told = [how_many(comparison, scheme)]
        if not isinstance(comparison.chosen.test, AllSystems) and not comparison.family.split:
            told += best(comparison, scheme)
        found.append(by + " ".join(told))
    # What names arguments is advice for whoever runs the analysis, and not for a paper.
    doubts = (each for each in comparison.doubts if not re.search(r"\w=", each))
    found += [as_sentence(each, comparison.schemes) + "." for each in doubts]
    if (comparison.table["p_adjusted"] > comparison.alpha).any():
        shows = comparison.chosen.test.shows
        absent = f"A {shows} that is not significant is not shown to be absent."
        if shows == "equivalence":
            absent = "A pair that is not shown to be equivalent is not shown to differ either."
        found.append(absent)
    return escaped(" ".join(found)) if style == "latex" else " ".join(found)


def how_many(comparison: Comparison, scheme: str) -> str:
    """Say how many pairs of a scheme differ significantly, or whether any systems do."""
    system, _ = comparison.units
    table = comparison.table[comparison.table["scheme"] == scheme]
    differ = int((table["p_adjusted"] <= comparison.alpha).sum())
    after = after_correction(comparison.adjust) * (len(table) > 1)
    by = the_test(label_of_test(comparison.chosen))
    at = f"by {by} at level {written(comparison.alpha)}{after}"
    shows = comparison.chosen.test.shows
    if isinstance(comparison.chosen.test, AllSystems):
        if differ:
            return f"Some of the {system}s differ significantly {at}; the test does not show which."
        return f"No significant difference between the {system}s was found {at}."
    without = int((table["reason"] != "").sum())
    none = f" {counted(without, 'pair')} {'has' if without == 1 else 'have'} no p value."
    at = f"{at}.{none if without else ''}"
    if shows == "equivalence":
        are = "is" if differ == 1 else "are"
        found = part_of(differ, len(table), "pair")
        return f"{found} of {system}s {are} shown to be equivalent within the margin {at}"
    if not differ:
        of = f"in {counted(len(table), 'pair')} of {system}s"
        of = of if len(table) > 1 else f"between the two {system}s"
        return f"No significant {shows} was found {of} {at}"
    one = differ == 1 < len(table)
    verb = f"{'differs' if one else 'differ'} significantly"
    if not _is_symmetric(comparison):
        verb = f"{'has' if one else 'have'} a significant result"
    if shows != "difference":
        verb = f"{'has' if one else 'have'} a significant {shows}"
    sided = comparison.chosen.settings.get("alternative")
    if len(table) == 1 and shows == "difference" and sided in ("greater", "less"):
        first, second = table[["system_a", "system_b"]].iloc[0]
        null = written(comparison.chosen.settings.get("null_value", 0))
        return f"The difference {first} minus {second} is significantly {sided} than {null} {at}"
    if len(table) == 1:
        return f"The two {system}s {verb} {at}"
    return f"{part_of(differ, len(table), 'pair')} of {system}s {verb} {at}"


def _is_symmetric(comparison: Comparison) -> bool:
    try:
        check_symmetric(comparison.chosen, "")
    except SignificanceError:
        return False
    return True


def best(comparison: Comparison, scheme: str) -> list[str]:
    """Name the systems with the best mean or mean rank, and those not shown to differ."""
    system, _ = comparison.units
    centres = comparison.best_first(scheme).dropna()
    if centres.empty or not _is_symmetric(comparison):
        return []
    center = comparison.chosen.test.center
    of = f"highest {center}" if comparison.mean_ranks is None else "best mean rank"
    # Equal means are no different for the order of their sums.
    places = tied(np.asarray(centres, dtype=np.float64))
    ordered = [str(name) for name in centres.index]
    first = [name for name, place in zip(ordered, places, strict=True) if place == places[0]]
    alone, top = len(first) == 1, fixed(float(centres.iloc[0]), 4)
    told = f"{first_names(first)} {'has' if alone else 'share'} the {of}, {top}"
    table, baselines = comparison.table, comparison.family.baselines
    own = (table["scheme"] == scheme).to_numpy()
    table, ahead = table[own], comparison.ahead[own]
    if baselines and not set(first) <= set(baselines):
        which = "It was not" if alone else "Not all of them were"
        return [f"{told}. {which} compared with every other {system}."]
    a, b = (table[name].astype(str) for name in ("system_a", "system_b"))
    of_first = a.isin(first) != b.isin(first)
    others = a.where(b.isin(first), b)
    if (without := int(table.loc[of_first, "p_adjusted"].isna().sum())) > 0:
        return [f"{told}. {counted(without, 'pair')} of {_it(alone)} could not be tested."]
    significant = of_first & (table["p_adjusted"] <= comparison.alpha)
    behind = significant & np.where(a.isin(first), ahead < 0, ahead > 0)
    if behind.any():
        names = first_names(list(dict.fromkeys(others[behind])))
        are = "is" if behind.sum() == 1 else "are"
        return [f"{told}, but {names} {are} significantly ahead of {_it(alone)} by the test."]
    if len(ordered) == 2 and alone and comparison.mean_ranks is None:
        second = fixed(float(centres.iloc[1]), 4)
        return [f"{first[0]} has the higher {center}, {top}, and {ordered[1]} has {second}."]
    near = {*others[of_first & ~significant]}
    if not near:
        verb = "differs" if alone else "differ"
        every = "the" if len(ordered) == 2 else "every"
        others_too = f", and {verb} significantly from {every} other {system}"
        return [f"{told}{others_too if ordered[len(first) :] else ''}."]
    alike = [name for name in ordered if name in near]
    count, are = counted(len(alike), system), "is" if len(alike) == 1 else "are"
    return [f"{told}. {count} {are} not shown to differ from {_it(alone)}: {first_names(alike)}."]


def _it(alone: bool) -> str:
    return "it" if alone else "one of them"


def first_names(systems: list[str]) -> str:
    """Return the first systems by name, and the number of the others."""
    told = ", ".join(systems[:NAMED])
    return f"{told} and {len(systems) - NAMED} more" if len(systems) > NAMED else told
