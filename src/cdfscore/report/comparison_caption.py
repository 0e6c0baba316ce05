"""Captions of comparisons."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cdfscore.comparison.pairs import ITSELF
from cdfscore.io.text import written
from cdfscore.plots.words import correction_label, effect_label, label_of_test, scheme_label
from cdfscore.report.captioned import as_sentence
from cdfscore.significance.contract import MEAN_RANKS, AllSystems, Simultaneous, significance_tests

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.comparison.comparison import Comparison


def caption(comparison: Comparison) -> str:
    """Describe a comparison: test, family, correction, level, n, intervals, policies, notes.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.comparison import compare
    >>> scores = datasets.load_cranfield("ap").iloc[:, :3]
    >>> print(caption(compare(scores, "paired_t", effect="")))  # doctest: +ELLIPSIS
    Differences between systems, A minus B, in scores as given, of ... topics. Test: paired ...
    """
    notes = [as_sentence(note, comparison.schemes) for note in comparison.notes]
    ended = (note if note.endswith((".", "?", "!")) else f"{note}." for note in notes)
    return " ".join([description(comparison), *ended])


def description(comparison: Comparison) -> str:
    """Describe a comparison as a caption does, without its notes."""
    return " ".join(f"{sentence}." for sentence in _sentences(comparison))


def _sentences(comparison: Comparison) -> list[str]:
    if isinstance(comparison.chosen.test, AllSystems):
        return _sentences_on_all(comparison, comparison.chosen.test)
    return [
        f"{_subject(comparison)}, {scores_of(comparison)}",
        *_sentences_on_tests(comparison),
        settings_of(comparison),
    ]


def _sentences_on_tests(comparison: Comparison) -> list[str]:
    """Return the sentences on the tests of pairs, without those on the scores."""
    settings, table = comparison.chosen.settings, comparison.table
    told = "alternative" in comparison.chosen.given or "alternative" not in settings
    alternative = "" if told else f", {settings['alternative']}"
    corrected = "adjusted " if comparison.adjust != "none" else ""
    sentences = [
        f"Test: {label_of_test(comparison.test)}{alternative}{_defaults(comparison)}"
        f"{_unpaired(comparison)}; n = {_counts(table)}",
        *_ties(comparison),
        *_zeros(comparison),
        f"Family: {comparison.family}{_each_scheme(comparison)}",
        f"{_correction(comparison)}; * marks {corrected}p values of at most "
        f"{written(comparison.alpha)}",
    ]
    sentences += _significant(comparison)
    if "B" in settings:
        sentences.append(
            f"Resamples, unless all outcomes are enumerated: {settings['B']}, "
            f"seed {settings['seed']}"
        )
    if table["conf_low"].notna().any() and "conf_level" in settings:
        of = "difference" if comparison.chosen.test.estimates == "difference" else "pair"
        kind = "simultaneous" if comparison.simultaneous else f"for each {of} separately"
        sentences.append(f"Confidence intervals: {100 * settings['conf_level']:.12g} %, {kind}")
    if comparison.effect:
        level = f"{100 * comparison.chosen.conf_level:.12g} %"
        without = ", without differences of 0" * (comparison.effect == "rank_biserial_paired")
        sentences.append(
            f"Effect size: {effect_label(comparison.effect)}{without}, with a {level} interval for "
            "each"
        )
    if comparison.uncertainty is not None:
        sentences.append(comparison.uncertainty.sentence)
    return sentences


def _sentences_on_all(comparison: Comparison, test: AllSystems[Any]) -> list[str]:
    """Return the sentences on a test of all systems at once, with its post hoc tests."""
    table = comparison.table
    methods = " or ".join(dict.fromkeys(table.loc[table["reason"] == "", "method"]))
    sentences = [
        f"All {len(comparison.systems)} systems at once, {scores_of(comparison)}",
        f"Test: {label_of_test(comparison.test)}{_defaults(comparison)}"
        f"{f' ({methods})' if methods else ''}; n = {_counts(table)}",
        f"One test{_each_scheme(comparison)}; * marks p values of at most "
        f"{written(comparison.alpha)}",
    ]
    if test.null:
        sentences.append(f"Null hypothesis: {test.null}")
    if test.assumes:
        sentences.append(f"Assumption: {test.assumes}")
    told = "A small p value does not show which systems differ"
    if test.post_hoc:
        told += f". Post hoc tests of pairs: {', '.join(map(_post_hoc, test.post_hoc))}"
    return [*sentences, told, settings_of(comparison)]


def settings_of(comparison: Comparison) -> str:
    """Return the settings as the program spells them, in one line."""
    found = {
        "test": comparison.test,
        "scheme": ", ".join(comparison.schemes),
        "adjust": "" if comparison.simultaneous or comparison.family.at_once else comparison.adjust,
        "effect": comparison.effect,
        "constant": "" if comparison.schemes == ["raw"] else comparison.constant,
        "missing": comparison.missing,
    }
    return f"Settings: {'; '.join(f'{name} {value}' for name, value in found.items() if value)}"


def _post_hoc(name: str) -> str:
    """Return the name of a post hoc test, with its correction or baseline."""
    test = significance_tests.load(name)
    if not isinstance(test, Simultaneous):
        return f"{label_of_test(name)} with Holm's correction"
    return f"{label_of_test(name)} with a baseline" if test.one_baseline else label_of_test(name)


def scores_of(comparison: Comparison) -> str:
    """Return the description of the tested scores: schemes, topics, and reference systems.

    Scores without a scheme are "as given", because they may already be standardized, unless they
    are reversed.
    """
    ways = [_way(scheme, comparison.reversals.get(scheme, "")) for scheme in comparison.schemes]
    topics = comparison.topics_by_scheme
    if len(set(topics.values())) > 1:
        ways = [
            f"{way} of {_topics(topics[scheme])}"
            for way, scheme in zip(ways, comparison.schemes, strict=True)
        ]
        return f"in {' and in '.join(ways)}{_fitted(comparison)}"
    return f"in {' and in '.join(ways)}, of {_topics(comparison.topics)}{_fitted(comparison)}"


def _way(scheme: str, reversal: str) -> str:
    if scheme != "raw":
        return f"scores standardized by {scheme_label(scheme)}"
    if reversal:
        return f"scores {reversal} (lower is better)"
    return "scores as given"


def _topics(count: int) -> str:
    return f"{count} topic{'s' * (count != 1)}"


def _unpaired(comparison: Comparison) -> str:
    """Return the remark that an unpaired test treats the topics of two systems as different."""
    if comparison.family.split:
        return ", unpaired"
    unpaired = comparison.chosen.test.samples == "unpaired"
    return ", unpaired (as if the systems had different topics)" if unpaired else ""


def _each_scheme(comparison: Comparison) -> str:
    schemes = len(comparison.schemes)
    return f", for each of {schemes} schemes" if schemes > 1 else ""


def _subject(comparison: Comparison) -> str:
    """Return the subject of the rows: differences, or another quantity that the test estimates.

    An example is a ratio of variances, which shows a difference of variances.
    """
    test = comparison.chosen.test
    where = ", A on the first collection, B on the second" if comparison.family.split else ""
    if test.estimates == MEAN_RANKS:
        return "Differences of mean ranks (1 is the best) between systems, B minus A"
    if test.shows == "difference":
        return f"Differences between systems, A minus B{where}"
    what = test.shows if test.estimates == "difference" else test.estimates
    to = "to" if what.startswith("ratio") else "with"
    return f"{what.capitalize()} of systems, A {to} B{where}"


def _fitted(comparison: Comparison) -> str:
    """Return the scores that the schemes were fitted to."""
    if comparison.schemes == ["raw"]:
        return ""
    which = f": {comparison.reference}" if comparison.reference else ""
    return f", fitted to {comparison.fitted_to}{which}"


def _defaults(comparison: Comparison) -> str:
    """Return the special settings of this test that were not given."""
    given, settings = comparison.chosen.given, comparison.chosen.settings
    shared = ("alternative", "null_value", "conf_level", "B", "seed")
    own = [
        f"{name}={value}"
        for name, value in settings.items()
        if name not in (*shared, *given) and isinstance(value, float)
    ]
    return f" ({', '.join(own)})" if own else ""


def _ties(comparison: Comparison) -> list[str]:
    """Return which scores or differences the test treated as ties, by each scheme."""
    if "ties_at" not in comparison.chosen.settings:
        return []
    table, of_schemes = comparison.table, dict[str, list[str]]()
    for scheme in comparison.schemes:
        if rules := _rules_of_ties(table.loc[table["scheme"] == scheme, "method"]):
            of_schemes.setdefault(rules, []).append(scheme)
    parts = list(of_schemes)
    if list(of_schemes.values()) != [comparison.schemes]:
        parts = [
            f"{rules} ({', '.join(map(scheme_label, own))})" for rules, own in of_schemes.items()
        ]
    what = "Scores" if comparison.chosen.test.samples == "unpaired" else "Differences"
    return [f"{what} tie if they are equal {'; '.join(parts)}"] if parts else []


def _zeros(comparison: Comparison) -> list[str]:
    """Return on how many differences the tests rest, if they leave out differences of 0."""
    left = comparison.table["method"].str.extract(r"; (\d+) of \d+ differences are not 0")[0]
    counts = left.dropna().astype(int)
    if counts.empty:
        return []
    if len(left) == 1:
        rest = f"the test rests on {counts.iloc[0]} differences"
    else:
        pairs = f"the tests of {len(counts):,} of {len(left):,} pairs"
        rest = f"{pairs} rest on fewer than n differences, on {counts.min()} or more"
    return [f"Differences of 0 are left out: {rest}"]


def _rules_of_ties(methods: pd.Series[str]) -> str:
    """Return the rules of ties in the methods of a scheme; "" if there are none."""
    rules = [each.partition("; ties at ")[2].partition("; ")[0] for each in methods if each]
    if "12 digits" in rules:  # where nothing ties so, it is the rule too
        rules = [rule or "12 digits" for rule in rules]
    counts = [(_equal(rule), n) for rule, n in Counter(rules).most_common()]
    if len(counts) > 1:
        return ", ".join(f"{rule} in {n:,} rows" for rule, n in counts)
    return ", ".join(rule for rule, _ in counts)


def _equal(rule: str) -> str:
    """Return the words for a rule of ties, such as "" or "multiples of 1/10".

    >>> _equal(""), _equal("12 digits"), _equal("multiples of 1/10"), _equal("3 decimals")
    ('in all digits', 'to 12 digits', 'as multiples of 1/10', 'after rounding to 3 decimals')
    """
    if not rule:
        return "in all digits"
    if rule.endswith("digits"):
        return f"to {rule}"
    return f"after rounding to {rule}" if rule.endswith("decimals") else f"as {rule}"


def _significant(comparison: Comparison) -> list[str]:
    """Return the number and proportion of significant pairs, by scheme and kind of pairs."""
    label = correction_label(comparison.adjust)
    corrected = f" after {label}" if label else ""
    by_scheme, several = dict[str, list[str]](), len(comparison.schemes) > 1
    for row in comparison.significant.to_dict("records"):
        if not row["tested"]:
            continue
        kind, share = str(row["pairs"]), f"{100 * row['proportion']:.1f} %"
        if kind == ITSELF:
            rate = f"a false positive rate of {100 * row['false_positive_rate']:.1f} %"
            told = f"; {row['false_positives']:,} without the correction, {rate}"
            share += told if corrected else ", the false positive rate"
        elif (
            row["tested"] > 1
            and comparison.chosen.test.shows == "difference"
            and not comparison.family.baselines
        ):
            share += ", the discriminative power"
        if row["tested"] == 1:
            kind = kind.replace("pairs", "pair", 1)
        by_scheme.setdefault(str(row["scheme"]), []).append(
            f"{row['significant']:,} of {row['tested']:,} {kind} ({share})"
        )
    if not by_scheme:
        return []
    parts = [
        f"{scheme_label(scheme)}: {found}" if several else found
        for scheme, found in ((scheme, " and ".join(own)) for scheme, own in by_scheme.items())
    ]
    return [f"Significant at {written(comparison.alpha)}{corrected}: {'; '.join(parts)}"]


def _correction(comparison: Comparison) -> str:
    if comparison.simultaneous:
        return "The p values are simultaneous for the whole family"
    if comparison.adjust == "none":
        return "The p values are not corrected for the number of tests"
    label = correction_label(comparison.adjust)
    return f"{label[:1].upper()}{label[1:]} for the number of tests"


def _counts(table: pd.DataFrame) -> str:
    """Return the number of scores of A in the tests, and of B if it differs."""
    ranges = [
        f"{table[name].min()}" + (f" to {table[name].max()}" if table[name].nunique() > 1 else "")
        for name in ("n", "n_b")
    ]
    same = (table["n"] == table["n_b"]).all()
    return ranges[0] if same else f"{ranges[0]} of A and {ranges[1]} of B"
