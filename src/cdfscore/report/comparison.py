"""Tables of comparisons, with captions that say all that was done; advice on tests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.common.files import check_ending
from cdfscore.common.text import capitalized, counted, in_units, printable, written
from cdfscore.comparison.attainable import SITUATIONS, Facts, direction, in_words
from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.pairs import ITSELF
from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty
from cdfscore.comparison.sensitivity import Sensitivity
from cdfscore.errors import SignificanceError
from cdfscore.plots import words
from cdfscore.report import writing
from cdfscore.scores.tables import DELIMITERS, encode_frame
from cdfscore.stats.significance import contract

if TYPE_CHECKING:
    import pandas as pd

#: The most pairs that a table for a paper lists, enough for 32 systems.
MOST_PAIRS = 500
# Letters of one system that a table has room for.
_MOST_LETTERS = 12


@writing.tables_of.register
def tables(comparison: Comparison) -> list[writing.Captioned]:
    """Return the tables of pairs and of systems, and of means if they have an uncertainty."""
    own = _of_pairs(comparison), of_systems(comparison, scores_of(comparison))
    return [*own, *_of_means(comparison)]


def _of_pairs(comparison: Comparison) -> writing.Captioned:
    own = writing.Captioned("Comparison of systems", caption(comparison), columns(comparison))
    return own.in_words(comparison.units)


def _of_means(comparison: Comparison) -> list[writing.Captioned]:
    found = comparison.uncertainty
    return [] if found is None else [_of_uncertainty(found, pairs=False)]


def for_terminal(comparison: Comparison) -> list[writing.Captioned]:
    """Return the tables of `tables` but that of systems, with the smallest p value first."""
    by = "p_value" if comparison.adjust == "none" else "p_adjusted"
    ranked = comparison.table.sort_values([by, "p_value"], kind="stable")
    return [_of_pairs(replace(comparison, table=ranked)), *_of_means(comparison)]


@writing.paper_tables_of.register
def for_paper(comparison: Comparison) -> list[writing.Captioned]:
    """Return the table of systems, then those of `tables`, with columns for the width of a page."""
    own, *others = [_of_pairs(comparison), *_of_means(comparison)]
    own = replace(own, columns=_narrow(comparison, own.columns))
    scores = scores_of(comparison)
    if len(comparison.table) <= MOST_PAIRS:
        if comparison.uncertainty is not None:
            pairs = _of_uncertainty(comparison.uncertainty, pairs=True)
            same_n = "n" * (comparison.uncertainty.pairs["n"].nunique() == 1)
            # The share is in the standard errors.
            of_pairs = [c for c in pairs.columns if c.header not in ("share of reference", same_n)]
            others.insert(0, replace(pairs, columns=of_pairs))
        return [of_systems(comparison, scores), own, *others]
    count, which = len(comparison.table), "pairs"
    same = comparison.table["system_a"] == comparison.table["system_b"]
    if comparison.family.split and 0 < same.sum() <= MOST_PAIRS:
        count, which = int((~same).sum()), "pairs of different systems"
        rows = columns(replace(comparison, table=comparison.table[same]))
        title = "Systems with themselves"
        told = f"{title}, in the first collection (A) and in the second (B)"
        itself = writing.Captioned(title, told, _narrow(comparison, rows))
        others.insert(0, itself.in_words(comparison.units))
    left_out = f"The {count:,} {which} are not listed here; a .csv or .json file has them"
    return [of_systems(comparison, scores, own.caption, left_out), *others]


def _narrow(comparison: Comparison, columns: list[writing.Column]) -> list[writing.Column]:
    """Return the columns that a paper has: estimate, interval, the p value that decides, effect.

    The other columns, and n if it is the same for all, are in the caption and in a .csv file. The
    uncertainty from the reference systems has its own table.
    """
    if comparison.family.at_once:
        return columns
    return [column for column in columns if column.minor < 2]


def columns(comparison: Comparison) -> list[writing.Column]:
    """Return the columns with content: one row per test, p values rounded, * if significant."""
    rows: list[writing.Row] = comparison.table.to_dict("records")
    corrected, effect = comparison.adjust != "none", words.effect_label(comparison.effect)
    alpha = math.nan if corrected else comparison.alpha  # the adjusted p values decide
    numeric: list[tuple[str, Callable[[writing.Row], str]]] = [
        ("n", lambda row: str(row["n"])),
        ("n of B", lambda row: writing.NO_NUMBER if row["n_b"] == row["n"] else str(row["n_b"])),
        (comparison.chosen.test.estimates, lambda row: writing.fixed(row["estimate"], 4)),
        ("interval", lambda row: writing.interval(row["conf_low"], row["conf_high"])),
        ("statistic", lambda row: writing.fixed(row["statistic"], 3)),
        (
            "df",
            lambda row: writing.fixed(
                row["parameter"], 0 if float(row["parameter"]).is_integer() else 2
            ),
        ),
        ("p", lambda row: writing.shown_p(row["p_value"], alpha)),
        ("adjusted p", lambda row: writing.shown_p(row["p_adjusted"], comparison.alpha)),
        (effect, lambda row: writing.fixed(row["effect_size"], 3)),
        (
            f"interval of {effect}",
            lambda row: writing.interval(row["effect_low"], row["effect_high"], 3),
        ),
        *_of_reference(comparison),
    ]
    if not corrected:
        numeric = [each for each in numeric if each[0] != "adjusted p"]
    if comparison.family.at_once:
        systems = [writing.Column("systems", False, [f"all {len(comparison.systems)}"] * len(rows))]
    else:
        systems = _systems(rows, "A", "B")
    found = [
        *writing.schemes_of(comparison.schemes, rows),
        *systems,
        *(writing.Column(header, True, [cell(row) for row in rows]) for header, cell in numeric),
        writing.Column("no number because", False, [printable(row["reason"]) for row in rows]),
    ]
    always = ("scheme", "systems", "A", "B", "n", "p")
    minor = {header: 2 for header, _ in _of_reference(comparison)}
    minor |= {"statistic": 2, "df": 2, f"interval of {effect}": 2}
    minor["p"] = 2 * (corrected and bool(comparison.table["p_adjusted"].notna().any()))
    minor["n"] = 2 * (comparison.table["n"].nunique() == 1)
    if comparison.family.at_once:
        minor = {}
    minor |= {effect: 1, "interval": 1}
    return [
        replace(column, minor=minor.get(column.header, 0))
        for column in found
        if column.header in always or set(column.cells) - {writing.NO_NUMBER, ""}
    ]


def _of_reference(comparison: Comparison) -> list[tuple[str, Callable[[writing.Row], str]]]:
    if comparison.uncertainty is None:
        return []
    found = list(_PARTS)
    # The interval is for the difference of means, not for a median as of wilcoxon_signed_rank.
    estimate, difference = (comparison.table[name] for name in ("estimate", "difference"))
    if not np.allclose(estimate, difference, rtol=1e-9, atol=1e-12 * difference.abs().max()):
        found.insert(0, ("difference of means", lambda row: writing.fixed(row["difference"], 4)))
    return found


def of_systems(comparison: Comparison, scores: str, *told: str) -> writing.Captioned:
    """Return a row for each scheme and system, best mean first, or best mean rank."""
    ranks, several = comparison.mean_ranks, len(comparison.schemes) > 1
    center, own_center = comparison.chosen.test.center, comparison.chosen.test.location is not None
    letters: dict[str, dict[str, str]] = {}
    outcomes: dict[str, pd.DataFrame] = {}
    how: list[str] = []
    with suppress(SignificanceError):  # not of all pairs, or not two-sided: there are none
        letters = {scheme: comparison.letters(scheme) for scheme in comparison.schemes}
        outcomes = {scheme: comparison.outcomes(scheme) for scheme in comparison.schemes}
        how.append("Pairs are won or lost if significant, and undecided if not shown to differ")
        how.append(
            "Systems that share a letter do not differ significantly by "
            f"{words.the_test(words.label_of_test(comparison.chosen))} at level "
            f"{written(comparison.alpha)}{words.after_correction(comparison.adjust)}"
        )
    # More than 26 letters in all are separated by spaces.
    every = [own for names in letters.values() for own in names.values()]
    most = max((len(own.split()) if " " in own else len(own) for own in every), default=0)
    if most > _MOST_LETTERS:
        how[-1] = f"Letters of groups are omitted, because one system has {most} letters"
        letters = {}
    rows: list[dict[str, str]] = []
    place = {system: i for i, system in enumerate(comparison.means.index)}
    for scheme in comparison.schemes:
        means = comparison.means[scheme].to_numpy()
        own = comparison.mean_intervals[scheme].to_numpy()
        for name, centre in comparison.best_first(scheme).items():
            system = str(name)
            n, low, high = own[place[system]]
            row = {
                **({"scheme": scheme} if several else {}),
                "system": printable(system),
                "n": writing.fixed(n, 0),
                center: writing.fixed(means[place[system]], 4),
                **({} if own_center else {"interval": writing.interval(low, high)}),
                **({} if ranks is None else {"mean rank": writing.fixed(centre, 2)}),
                **({"letters": letters[scheme][system]} if letters else {}),
            }
            if outcomes:
                row |= {str(k): f"{n:,}" for k, n in outcomes[scheme].loc[system].items()}
            rows.append(row)
    columns = writing.columns_of(rows, ("scheme", "system", "letters"))
    if len({row["n"] for row in rows}) == 1:  # the caption has it
        columns = [column for column in columns if column.header != "n"]
    level = f"{100 * comparison.chosen.conf_level:.12g} %"
    of_intervals = f"Intervals: {level}, by t, for each mean separately, not for differences"
    sentences = [
        f"{capitalized(center)}s of systems {scores}",
        *(["Mean ranks are within topics, 1 is the best"] if ranks is not None else []),
        *([] if own_center else [of_intervals]),
        *how,
        *told,
    ]
    table = writing.Captioned("", "", columns).with_caption("Systems", *sentences)
    return table.in_words(comparison.units)


def caption(comparison: Comparison) -> str:
    """Describe a comparison: test, family, correction, level, n, intervals, policies, notes."""
    notes = [note for note in comparison.notes if note not in comparison.doubts]
    return writing.as_text(description(comparison), *_as_sentences(comparison, notes))


def _as_sentences(comparison: Comparison, notes: list[str]) -> list[str]:
    return [writing.as_sentence(note, comparison.schemes) for note in notes]


def description(comparison: Comparison) -> str:
    """Describe a comparison as a caption does, with its cautions, and without its other notes."""
    return in_units(comparison.units, writing.as_text(*_sentences(comparison)))


def _sentences(comparison: Comparison) -> list[str]:
    if isinstance(comparison.chosen.test, contract.AllSystems):
        return _sentences_on_all(comparison, comparison.chosen.test)
    test = comparison.chosen.test
    where = ", A on the first collection, B on the second" if comparison.family.split else ""
    what = test.shows if test.estimates == "difference" else test.estimates
    to = "to" if what.startswith("ratio") else "with"
    subject = f"{what.capitalize()} of systems, A {to} B{where}"
    if test.estimates == contract.MEAN_RANKS:
        subject = "Differences of mean ranks (1 is the best) between systems, B minus A"
    elif test.location is not None:
        subject = f"Differences of {test.center}s between systems, A minus B{where}"
    elif test.shows == "difference":
        subject = f"Differences between systems, A minus B{where}"
    return [
        f"{subject}, {scores_of(comparison)}",
        *_sentences_on_tests(comparison),
        settings_of(comparison),
    ]


def _sentences_on_tests(comparison: Comparison) -> list[str]:
    settings, table = comparison.chosen.settings, comparison.table
    told = "alternative" in comparison.chosen.given or "alternative" not in settings
    alternative = "" if told else f", {settings['alternative']}"
    unpaired = ", unpaired" * (comparison.chosen.test.samples == "unpaired")
    if comparison.family.split:
        unpaired = ", unpaired"
    elif unpaired:
        unpaired += " (as if the systems had different topics)"
    corrected = "adjusted " if comparison.adjust != "none" else ""
    correction = f"{capitalized(words.correction_label(comparison.adjust))} for the number of tests"
    if comparison.simultaneous:
        correction = "The p values are simultaneous for the whole family"
    elif not corrected:
        correction = "The p values are not corrected for the number of tests"
    sentences = [
        f"Test: {words.label_of_test(comparison.chosen)}{alternative}{_defaults(comparison)}"
        f"{unpaired}; n = {_counts(table)}",
        *_ties_and_zeros(comparison),
        f"Family: {comparison.family}{_each_scheme(comparison)}",
        f"{correction}; * marks {corrected}p values of at most {written(comparison.alpha)}",
    ]
    sentences += [*_significant(comparison), *_as_sentences(comparison, comparison.doubts)]
    if "B" in settings:
        sentences.append(
            f"Resamples, unless all outcomes are enumerated: {settings['B']:,}, "
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
            f"Effect size: {words.effect_label(comparison.effect)}{without}, with a {level} "
            "interval for each"
        )
    if comparison.uncertainty is not None:
        sentences.append(comparison.uncertainty.sentence)
    return sentences


def _sentences_on_all(comparison: Comparison, test: contract.AllSystems[Any]) -> list[str]:
    table = comparison.table
    methods = " or ".join(dict.fromkeys(table.loc[table["reason"] == "", "method"]))
    sentences = [
        f"All {len(comparison.systems)} systems at once, {scores_of(comparison)}",
        f"Test: {words.label_of_test(comparison.chosen)}{_defaults(comparison)}"
        f"{f' ({methods})' if methods else ''}; n = {_counts(table)}",
        f"One test{_each_scheme(comparison)}; * marks p values of at most "
        f"{written(comparison.alpha)}",
        *_as_sentences(comparison, comparison.doubts),
    ]
    if test.null:
        sentences.append(f"Null hypothesis: {test.null}")
    if test.assumes:
        sentences.append(f"Assumption: {test.assumes}")
    told = "A small p value does not show which systems differ"
    if test.post_hoc:
        kinds = (contract.significance_tests.load(name) for name in test.post_hoc)
        named = [
            f"{each.label} with Holm's correction"
            if not isinstance(each, contract.Simultaneous)
            else each.label + " with a baseline" * each.one_baseline
            for each in kinds
        ]
        told += f". Post hoc tests of pairs: {', '.join(named)}"
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
    told = [f"{name} {value}" for name, value in found.items() if value]
    return f"Settings: {'; '.join(told)}"


def scores_of(comparison: Comparison) -> str:
    """Return the description of the tested scores: schemes, topics, and reference systems.

    Scores without a scheme are "as given", because they may already be standardized, unless they
    are reversed.
    """
    reversal = comparison.reversals.get("raw")
    raw = f"scores {reversal} (lower is better)" if reversal else "scores as given"
    ways = [
        raw if scheme == "raw" else f"scores standardized by {words.scheme_label(scheme)}"
        for scheme in comparison.schemes
    ]
    which = f": {comparison.reference}" if comparison.reference else ""
    fitted = f", fitted to {comparison.fitted_to}{which}"
    if comparison.schemes == ["raw"]:
        fitted = ""
    topics = comparison.topics_by_scheme
    if len(set(topics.values())) > 1:
        ways = [
            f"{way} of {_topics(topics[scheme])}"
            for way, scheme in zip(ways, comparison.schemes, strict=True)
        ]
        return f"in {' and in '.join(ways)}{fitted}"
    return f"in {' and in '.join(ways)}, of {_topics(comparison.topics)}{fitted}"


def _topics(count: int) -> str:
    return counted(count, "topic")


def _each_scheme(comparison: Comparison) -> str:
    schemes = len(comparison.schemes)
    return f", for each of {schemes} schemes" if schemes > 1 else ""


def _defaults(comparison: Comparison) -> str:
    given, settings = comparison.chosen.given, comparison.chosen.settings
    shared = ("alternative", "null_value", "conf_level", "B", "seed")
    own = [
        f"{name}={value}"
        for name, value in settings.items()
        if name not in (*shared, *given) and isinstance(value, float)
    ]
    return f" ({', '.join(own)})" if own else ""


def _ties_and_zeros(comparison: Comparison) -> list[str]:
    table, of_schemes = comparison.table, dict[str, list[str]]()
    for scheme in comparison.schemes if "ties_at" in comparison.chosen.settings else ():
        methods = table.loc[table["scheme"] == scheme, "method"]
        rules = [each.partition("; ties at ")[2].partition("; ")[0] for each in methods if each]
        for each in {"12 digits", "rounding errors"}.intersection(rules):
            rules = [rule or each for rule in rules]  # where nothing ties so too
        counts = [(_equal(rule), n) for rule, n in Counter(rules).most_common()]
        told = ", ".join(f"{rule} in {n:,} rows" if len(counts) > 1 else rule for rule, n in counts)
        if told:
            of_schemes.setdefault(told, []).append(scheme)
    parts = list(of_schemes)
    if list(of_schemes.values()) != [comparison.schemes]:
        parts = [
            f"{rules} ({', '.join(map(words.scheme_label, own))})"
            for rules, own in of_schemes.items()
        ]
    what = "Scores" if comparison.chosen.test.samples == "unpaired" else "Differences"
    found = [f"{what} tie if they are equal {'; '.join(parts)}"] if parts else []
    left = table["method"].str.extract(r"; (\d+) of \d+ differences are not 0")[0]
    counted_zeros = left.dropna().astype(int)
    if len(counted_zeros):
        pairs = f"the tests of {len(counted_zeros):,} of {len(left):,} pairs"
        rest = f"{pairs} rest on fewer than n differences, on {counted_zeros.min()} or more"
        if len(left) == 1:
            rest = f"the test rests on {counted_zeros.iloc[0]} differences"
        found.append(f"Differences of 0 are left out: {rest}")
    return found


def _equal(rule: str) -> str:
    """Return the words for a rule of ties, such as "" or "multiples of 1/10".

    >>> _equal(""), _equal("12 digits"), _equal("multiples of 1/10"), _equal("3 decimals")
    ('in all digits', 'to 12 digits', 'as multiples of 1/10', 'after rounding to 3 decimals')
    >>> _equal("rounding errors")
    'but for rounding errors'
    """
    if not rule:
        return "in all digits"
    if rule == "rounding errors":
        return f"but for {rule}"
    if rule.endswith("digits"):
        return f"to {rule}"
    return f"after rounding to {rule}" if rule.endswith("decimals") else f"as {rule}"


def _significant(comparison: Comparison) -> list[str]:
    corrected = words.after_correction(comparison.adjust)
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
        f"{words.scheme_label(scheme)}: {found}" if several else found
        for scheme, found in ((scheme, " and ".join(own)) for scheme, own in by_scheme.items())
    ]
    return [f"Significant at {written(comparison.alpha)}{corrected}: {'; '.join(parts)}"]


def _counts(table: pd.DataFrame) -> str:
    ends = (sorted({table[name].min(), table[name].max()}) for name in ("n", "n_b"))
    ranges = [" to ".join(f"{end:,}" for end in each) for each in ends]
    same = (table["n"] == table["n_b"]).all()
    return ranges[0] if same else f"{ranges[0]} of A and {ranges[1]} of B"


@writing.numbers_of.register
def _(comparison: Comparison) -> tuple[Any, dict[str, Any]]:
    test, found = comparison.chosen.test, comparison.uncertainty
    details: dict[str, Any] = {
        "caption": caption(comparison),
        "test": comparison.test,
        "settings": comparison.chosen.settings,
        "family": str(comparison.family),
        "baselines": list(comparison.family.baselines),
    }
    if isinstance(test, contract.AllSystems):
        details |= {
            "null_hypothesis": test.null,
            "assumption": test.assumes,
            "post_hoc": list(test.post_hoc),
        }
    details |= {
        "adjust": comparison.adjust,
        "effect": comparison.effect or None,
        **writing.described(
            comparison, "alpha", "topics", "topics_by_scheme", "systems", "reversals"
        ),
        **writing.described(comparison, "missing", "constant", "fitted_to"),
        "reference": comparison.reference or None,
        "notes": comparison.notes,
    }
    if comparison.family.split:  # two collections have two kinds of pairs
        of_schemes: dict[str, dict[str, Any]] = {}
        for row in writing.records(comparison.significant):
            of_schemes.setdefault(row.pop("scheme"), {})[row.pop("pairs")] = row
        details["significant"] = of_schemes
    if comparison.chosen.test.location is not None:
        details["center"] = comparison.chosen.test.center
    details["means"] = comparison.means.to_dict()
    if comparison.mean_ranks is not None:
        details["mean_ranks"] = comparison.mean_ranks.to_dict()
    with suppress(SignificanceError):  # as in `of_systems`
        details["outcomes"] = {s: comparison.outcomes(s).T.to_dict() for s in comparison.schemes}
    if found is not None:  # of pairs it is in the rows
        details["reference_uncertainty"] = {
            "resamples": found.method,
            "reference_systems": found.systems,
            "conf_level": found.conf_level,
            "means": found.means.to_dict("records"),
        }
    return comparison.table, details


def encode_letters(comparison: Comparison, path: Path) -> bytes:
    """Return one row per scheme and system, best first: center, mean rank, letters, outcomes."""
    import pandas as pd

    ending, ranks = check_ending(path, DELIMITERS), comparison.mean_ranks
    tables = []
    for scheme in comparison.schemes:
        letters = pd.Series(comparison.letters(scheme), name="letters")
        columns = {
            "scheme": scheme,
            comparison.chosen.test.center: comparison.means[scheme],
            **({} if ranks is None else {"mean_rank": ranks[scheme]}),
            "letters": letters,
            **comparison.outcomes(scheme),
            "scores": comparison.reversals.get(scheme, ""),
        }
        tables.append(pd.DataFrame(columns).loc[letters.index].reset_index(names="system"))
    frame = pd.concat(tables, ignore_index=True)
    frame.insert(0, "scheme", frame.pop("scheme"))
    if not frame["scores"].any():
        del frame["scores"]
    return encode_frame(frame, DELIMITERS[ending])


# What the table of pairs is called.
_PAIRS = "Uncertainty from the reference systems"
# The columns of the parts of the uncertainty.
_PARTS: tuple[tuple[str, Callable[[writing.Row], str]], ...] = (
    ("se, topics", lambda row: writing.fixed(row["stderr_topics"], 4)),
    ("se, reference", lambda row: writing.fixed(row["stderr_reference"], 4)),
    ("se, both", lambda row: writing.fixed(row["stderr_both"], 4)),
    ("share of reference", lambda row: writing.fixed(row["reference_share"], 3)),
    ("interval, both", lambda row: writing.interval(row["both_low"], row["both_high"])),
)


@writing.tables_of.register
def _(found: ReferenceUncertainty) -> list[writing.Captioned]:
    told = [writing.as_sentence(note, found.schemes) for note in found.notes]
    return [
        _of_uncertainty(found, pairs=True).with_caption(
            _PAIRS, in_units(found.units, found.sentence), *told
        ),
        _of_uncertainty(found, pairs=False),
    ]


def _of_uncertainty(found: ReferenceUncertainty, *, pairs: bool) -> writing.Captioned:
    rows: list[writing.Row] = (found.pairs if pairs else found.means).to_dict("records")
    headers, estimate, title = ["system"], "mean", "Means of systems"
    if pairs:
        headers, estimate, title = ["A", "B"], "difference", _PAIRS
    what = "Differences of means, A minus B" if pairs else title
    columns = [
        *writing.schemes_of(found.schemes, rows),
        *_systems(rows, *headers),
        writing.Column("n", True, [str(row["n"]) for row in rows]),
        writing.Column(estimate, True, [writing.fixed(row[estimate], 4) for row in rows]),
        *(writing.Column(header, True, [cell(row) for row in rows]) for header, cell in _PARTS),
    ]
    sources = "from the topics, from the reference systems, and from both"
    table = writing.Captioned("", "", columns)
    table = table.with_caption(title, f"{what}, with their standard errors {sources}")
    return table.in_words(found.units)


def _systems(rows: list[writing.Row], *headers: str) -> list[writing.Column]:
    named = {"system": "system", "A": "system_a", "B": "system_b"}
    return [
        writing.Column(each, False, [printable(row[named[each]]) for row in rows])
        for each in headers
    ]


# The numbers of pairs by what became of their conclusion.
_CONCLUSIONS = ("pairs", "kept", "gained", "lost", "reversed")


def agreement(sensitivity: Sensitivity) -> writing.Captioned:
    """Return the agreement of rankings, and the numbers of pairs of systems that differ."""
    found = sensitivity.comparison
    by = words.after_correction(found.adjust)
    if not by and not found.simultaneous:
        by = " without a correction"
    test = words.the_test(words.label_of_test(found.chosen))
    title = (
        f"{counted(found.topics, 'topic')}: agreement of rankings by the {found.chosen.test.center}"
        ", and pairs that differ "
        f"significantly by {test}{by} at level {written(found.alpha)}"
    )
    numbers = ["tau_b", "tau_ap_b", *_CONCLUSIONS]
    both = sensitivity.agreement.join(sensitivity.conclusions[[*_CONCLUSIONS]])
    rows = [
        [row["scheme_a"], row["scheme_b"], *(writing.cell_of(row[name]) for name in numbers)]
        for row in both.to_dict("records")
    ]
    return writing.table_of(title, ["from", "to"], numbers, rows).in_words(found.units)


def moves(sensitivity: Sensitivity) -> writing.Captioned:
    """Return the systems whose ranks differ most between two schemes."""
    rows = [
        [*names, f"{a:g}", f"{b:g}", f"{places:+g}"]
        for *names, a, b, places in sensitivity.moves.itertuples(index=False)
    ]
    center = sensitivity.comparison.chosen.test.center
    return writing.table_of(
        f"Systems whose rank by the {center} changes most; positive places are moves to the top",
        ["from", "to", "system"],
        ["rank from", "rank to", "places"],
        rows,
    ).in_words(sensitivity.comparison.units)


@writing.tables_of.register
def _(result: Sensitivity) -> list[writing.Captioned]:
    table, moved = agreement(result), moves(result)
    doubts = _as_sentences(result.comparison, result.comparison.doubts)
    notes = _as_sentences(result.comparison, result.notes)
    notes = [note for note in notes if note not in doubts]
    told = table.with_caption("Sensitivity", table.caption, *doubts, *result.verdict, *notes)
    return [told, moved] if moved.columns[0].cells else [told]


HEADERS = ("test", "choose it for", "null hypothesis", "assumes", "one-sided")


def advice_tables(facts: Facts | None = None) -> Iterator[tuple[str, writing.Captioned]]:
    """Yield a heading and a table for each situation; with `facts`, also which tests fit."""
    for situation in SITUATIONS:
        rows = [cells(test) for test in situation.tests()]
        for row, test in zip(rows, situation.tests(), strict=True):
            if facts:
                but = f"yes, but {facts.but(test)}" if facts.but(test) else "yes"
                row.append(facts.against(test) or but)
        headers = (*HEADERS, *(["fits"] if facts else []))
        columns = [
            writing.Column(header, False, [row[i].replace("`", "") for row in rows])
            for i, header in enumerate(headers)
        ]
        absent = ", ".join(situation.not_in_compare)
        heading = (
            f"{situation.title}\n  correction: {situation.correction}\n"
            f"  missing scores: {situation.missing}"
        ) + f"\n  not run by compare: {absent}" * bool(absent)
        yield heading, writing.Captioned("", "", columns)


def cells(test: contract.SignificanceTest[Any]) -> list[str]:
    """Return the row of a test: its name, and what it declares."""
    stated = (test.choose_for, test.null, test.assumes)
    return [test.name, *map(in_words, stated), direction(test)]
