"""Comparison of systems by a significance test on standardized scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np
import pandas as pd

from cdfscore.common.cautions import each_once, warn_of
from cdfscore.common.costs import check_cost
from cdfscore.common.text import counted, each_in_units, kept, worded, written
from cdfscore.comparison import pairs
from cdfscore.comparison.attainable import cautions_on, with_enough_resamples
from cdfscore.comparison.ranking import compact_letters, groups
from cdfscore.comparison.reference_uncertainty import (
    PARTS,
    ReferenceUncertainty,
    Resampling,
    resampling_of,
    uncertainty_of,
)
from cdfscore.errors import ScoresError, SignificanceError, check_one_of
from cdfscore.scores.dataframes import IntoFrame, both_as_pandas, measure_of
from cdfscore.showing import Shown
from cdfscore.standardization.standardized import (
    ExtraTopics,
    Factors,
    FittedTo,
    Standardized,
    reference_of,
)
from cdfscore.standardization.standardizer import How, check_extra_of, name_of, standardize
from cdfscore.stats.adjustment import adjust as adjusted
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.numerics.multiples import tied
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.significance import contract
from cdfscore.stats.significance._means import ranks_within_topics
from cdfscore.stats.significance.one_sample_t import one_sample_t

# --- Tests of standardized scores, and ties of scores ---


# Number of scores whose effect sizes are computed at a time; bounds the memory.
_BLOCK = 1 << 20
_EFFECTS = ("effect_size", "effect_low", "effect_high")


@dataclass(frozen=True, eq=False)
class Differences:
    """The results of a test, and the effect sizes, NaN if there are none."""

    result: contract.TestResult
    effects: dict[str, Array]
    #: The scores (topics, systems) as they were compared.
    matrix: Array


def differences_of_pairs(
    matrix: Array,
    sizes: Array | None,
    chosen: contract.ChosenTest,
    family: pairs.Family,
    effect: str,
) -> Differences:
    """Test each pair of columns of a matrix (topics, systems); scores tie by `sizes`, if given."""
    assert isinstance(chosen.test, contract.TwoSamples | contract.PairsTogether)
    own = matrix if sizes is None else tied(matrix, sizes)
    scores = len(family) * len(own)
    least = chosen.test.least_p(contract.Sizes.of_topics(*own.shape), chosen.settings)
    # Where there are fewer outcomes than B, they are enumerated.
    drawn = min(chosen.settings["B"], 1 / (least or 1)) if "B" in chosen.settings else 0
    check_cost(
        f"{len(family):,} tests by {chosen.test.name} on {counted(len(own), 'topic')}",
        "fewer systems, a baseline or a smaller B" if drawn else "fewer systems or a baseline",
        score_of_a_pair=scores,
        score_of_a_resampled_pair=scores * drawn,
    )
    result = chosen.test.over_pairs(own, family.first, family.second, **chosen.given)
    if ties_notes(matrix, own) and chosen.test.ranks == "topics":
        method = np.char.add(np.char.rstrip(result.method), "; ties at rounding errors")
        result = replace(result, method=np.where(result.method == "", "", method))
    return Differences(result, _effects(own, family, chosen, effect), own)


def _effects(
    matrix: Array, family: pairs.Family, chosen: contract.ChosenTest, effect: str
) -> dict[str, Array]:
    if not effect:
        return _none(len(family))
    systems, size = np.ascontiguousarray(matrix.T), effect_sizes.load(effect)
    step, numbers = max(1, _BLOCK // max(1, len(matrix))), np.empty((3, len(family)))
    for start in range(0, len(family), step):
        block = slice(start, start + step)
        pair = systems[family.first[block]], systems[family.second[block]]
        found = size(*pair, conf_level=chosen.conf_level)
        numbers[:, block] = found.estimate, found.conf_low, found.conf_high
    return dict(zip(_EFFECTS, numbers, strict=True))


def refuse_infinite(standardized: Standardized) -> None:
    """Raise `ScoresError` for an infinite standardized score."""
    cell = _first(standardized, np.isinf(standardized.frame.to_numpy()))
    if cell:
        scheme = standardized.factors.fitted.scheme
        raise ScoresError(
            f"{cell}: the score by {scheme} is infinite; expected another policy for constant "
            "topics, such as constant='nan' or 'drop_topic'"
        )


def matrix_of(standardized: Standardized, values: Array) -> Array:
    """Return the values of the topics on which a system has a standardized score."""
    return np.asarray(values[~np.isnan(standardized.frame.to_numpy()).all(axis=1)])


def sizes_of_ties(
    standardized: Standardized, chosen: contract.ChosenTest, effect: str
) -> Array | None:
    """Return the sizes by which scores tie, None where all are compared as they are."""
    if ranks_of(chosen, effect) != "topics" or standardized.tie_sizes is None:
        return None
    return standardized.tie_sizes[0]


def ties_far_from_zero(
    standardized: Standardized, chosen: contract.ChosenTest, effect: str
) -> list[str]:
    """Return a caution if rounding errors may break ties of ranked differences."""
    if ranks_of(chosen, effect) != "differences" or standardized.tie_sizes is None:
        return []
    sizes, far = standardized.tie_sizes
    y = standardized.frame.to_numpy()
    told = ((tied(y, np.where(far, sizes, 0.0)) != y) & np.isfinite(y) & far).any(axis=1)
    topics = [topic for topic, one in zip(standardized.used.topics, told, strict=True) if one]
    if not topics:
        return []
    return [
        "rounding errors may break ties of differences, which are ranked: on "
        f"{counted(len(topics), 'topic')} ({kept(*topics)}) the scores are far from 0 and close "
        "together; subtract a number from all scores of such a topic, and of its reference"
    ]


def ranks_of(chosen: contract.ChosenTest, effect: str) -> contract.Ranks:
    """Return what the test or the effect size ranks: "topics" if one does so, or "differences"."""
    both = [chosen.test.ranks, effect_sizes.load(effect).ranks if effect else ""]
    return "topics" if "topics" in both else "differences" if "differences" in both else ""


def ties_notes(before: Array, after: Array) -> list[str]:
    """Return a note if scores were tied."""
    changed = int((np.isfinite(before) & (before != after)).sum())
    if not changed:
        return []
    counts = "is equal to another but for rounding errors, and counts"
    count = "are equal to others but for rounding errors, and count"
    what = counted(changed, "standardized score")
    return [f"{what} {counts if changed == 1 else count} as tied"]


def _first(standardized: Standardized, where: BoolArray) -> str:
    if not where.any():
        return ""
    row, column = map(int, np.argwhere(where)[0])
    system = standardized.frame.columns[column]
    return f"topic {standardized.used.topics[row]!r}, system {system!r}"


def _none(count: int) -> dict[str, Array]:
    return dict.fromkeys(_EFFECTS, np.full(count, np.nan))


# --- The comparison ---


@dataclass(frozen=True, eq=False)
class Tested:
    """A test of scores by one scheme, with its correction, effect size and level."""

    standardized: Standardized
    chosen: contract.ChosenTest
    adjust: str
    effect: str
    alpha: float
    #: The pairs, or all systems; None for a test of each system by itself.
    family: pairs.Family | None
    found: Differences
    p_adjusted: Array
    resampling: Resampling | None = None

    @classmethod
    def of(
        cls,
        scores: Standardized,
        chosen: contract.ChosenTest,
        baselines: Sequence[str],
        adjust: str,
        effect: str,
        alpha: float,
        resampling: Resampling | None = None,
    ) -> Tested:
        """Test each system, each pair, or all systems at once, after the checks of `compare`.

        Topics on which no system has a score are left out.
        """
        test, y, systems = chosen.test, scores.frame.to_numpy(), list(scores.frame.columns)
        family = pairs.Family.of(systems, baselines) if baselines else None
        matrix = matrix_of(scores, y)
        refuse_infinite(scores)
        missing = np.isnan(y)
        if isinstance(test, contract.PairsTogether | contract.AllSystems) and (
            cell := _first(scores, missing & ~missing.all(axis=1, keepdims=True))
        ):
            raise ScoresError(
                f"{cell}: {test.name} needs every score, and this one is missing; expected a "
                "complete matrix, for example by missing='drop_topic'"
            )
        if isinstance(test, contract.OneSample):
            result = test(np.ascontiguousarray(matrix.T), **chosen.given)
            found = Differences(result, _none(len(systems)), matrix)
        elif isinstance(test, contract.AllSystems):
            family = pairs.Family.of(systems, at_once=True)
            found = Differences(test(matrix[np.newaxis], **chosen.given), _none(1), matrix)
        else:
            family = pairs.Family.of(systems) if family is None else family
            sizes = sizes_of_ties(scores, chosen, effect)
            own = None if sizes is None else matrix_of(scores, sizes)
            found = differences_of_pairs(matrix, own, chosen, family, effect)
        p = adjusted(np.atleast_1d(found.result.p_value), adjust)
        return cls(scores, chosen, adjust, effect, alpha, family, found, p, resampling)

    @property
    def labels(self) -> list[str]:
        """What each result is about, as text: a pair, a system, or all systems."""
        return list(self.standardized.frame.columns) if self.family is None else self.family.labels


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """Result of `compare`: a table with one row per pair and scheme, and the parts of its caption.

    `table` has these columns:

    - scheme, system_a, system_b: a test of all systems at once has "all systems" and "".
    - n and n_b: the numbers of topics of system_a and system_b that were used.
    - estimate, with conf_low and conf_high: mostly the difference a minus b;
      ``chosen.test.estimates`` names it.
    - statistic, parameter (degrees of freedom), p_value, p_value_stderr (Monte Carlo) and
      p_adjusted.
    - effect_size, with effect_low and effect_high.
    - method, and reason: why a number is missing.
    - with `uncertainty`, also the columns of its pairs, from difference to both_high.

    Other fields:

    - `means`: the mean of each system over its own topics, one column per scheme; of a test that
      declares another `location`, that one, and then the intervals are NaN.
    - `mean_intervals`: by scheme, a table with the number of topics n of each system, and the t
      interval of its mean, low and high. Each interval is for one mean, with the level of the
      intervals of pairs.
    - `topics`: the number of topics with a score; if the schemes differ, the largest number.
      `topics_by_scheme` has the number of each scheme.
    - `notes`: sentences about the data and the method. `cautions`: those notes that warn of a wrong
      reading of the results, such as a test that cannot reject.
    - `fitted_to`: "these scores"; "other scores" if a scheme was fitted to others; or "scores not
      known to be these", as for factors of more topics. `reference` names these scores, if known:
      the number of systems and the digest.
    - `reversals`: by scheme, what happened to scores for which lower is better, such as "negated on
      every topic"; "" for nothing.
    - `measure`: the measure of the scores; None if their source names none.
    - `uncertainty`: the uncertainty from the reference systems; None unless asked for.
    - `mean_ranks`: the mean rank of each system within topics, 1 for the best, one column per
      scheme; None unless all pairs were compared by a test of ranks or signs, on complete scores.
    - `units`: what is compared, and on what: "model" and "task" if the header of the scores says
      so, else "system" and "topic".
    - `tested`: the scores, the test and its results by each scheme, for `cdfscore.verify`.
    - `critical_differences`: by scheme, the smallest difference of means or mean ranks with a
      p value of at most alpha. It is empty unless all pairs have the same one, as in `tukey_hsd`
      and `nemenyi`.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> scores = datasets.load_cranfield("ap")[["ql_dirichlet_mu250", "tfidf", "pl2_c1"]]
    >>> found = compare(scores, "paired_t")
    >>> type(found).__name__, found.test, found.schemes, len(found.table)
    ('Comparison', 'paired_t', ['raw'], 3)
    >>> found.means.round(3)["raw"].to_dict()
    {'ql_dirichlet_mu250': 0.341, 'tfidf': 0.337, 'pl2_c1': 0.35}
    """

    table: pd.DataFrame
    means: pd.DataFrame
    chosen: contract.ChosenTest
    family: pairs.Family
    adjust: str
    effect: str
    alpha: float
    topics: int
    missing: str
    constant: str
    fitted_to: FittedTo
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    reference: str = ""
    topics_by_scheme: dict[str, int] = field(default_factory=dict)
    reversals: dict[str, str] = field(default_factory=dict)
    uncertainty: ReferenceUncertainty | None = None
    measure: str | None = None
    critical_differences: dict[str, float] = field(default_factory=dict)
    mean_intervals: dict[str, pd.DataFrame] = field(default_factory=dict)
    mean_ranks: pd.DataFrame | None = None
    units: tuple[str, str] = ("system", "topic")
    tested: tuple[Tested, ...] = ()

    @property
    def test(self) -> str:
        """The test and its settings as the command line spells them."""
        return str(self.chosen)

    @property
    def simultaneous(self) -> bool:
        """True if the p values of the test hold for the whole family without a correction."""
        return isinstance(self.chosen.test, contract.Simultaneous)

    @property
    def systems(self) -> list[str]:
        """The systems, in the order of the scores."""
        return list(self.family.systems)

    @property
    def schemes(self) -> list[str]:
        """The schemes, in the order in which they were given."""
        return list(self.means.columns)

    def best_first(self, scheme: str) -> pd.Series[float]:
        """Return `mean_ranks` by a scheme if there are any, and the means if not, best first."""
        ranks = self.mean_ranks
        centres = self.means if ranks is None else ranks
        found: pd.Series[float] = centres[scheme].sort_values(
            ascending=ranks is not None, kind="stable"
        )
        return found

    def letters(self, scheme: How | None = None) -> dict[str, str]:
        """Return a compact letter display: systems that share a letter do not differ significantly.

        A pair without a p value counts as not different. Raises `SignificanceError` if the
        comparison does not have all pairs, does not have this scheme, or is not a two-sided test of
        no difference.
        """
        return compact_letters(*self._apart(scheme))

    def groups(self, scheme: How | None = None) -> list[list[str]]:
        """Return the systems that share each letter of `letters`."""
        return groups(*self._apart(scheme))

    def _apart(self, scheme: How | None) -> tuple[list[str], list[tuple[str, str]]]:
        if self.family.split:
            raise SignificanceError(
                "letters need systems of one collection; expected a result of compare"
            )
        pairs.check_letters(self.chosen, self.family.baselines)
        name = self.schemes[0] if scheme is None else name_of(scheme)
        check_one_of("scheme", name, self.schemes, SignificanceError)
        rows = self.table[self.table["scheme"] == name]
        apart = rows[rows["p_adjusted"] <= self.alpha]
        ordered = self.best_first(name).index
        return list(ordered), list(zip(apart["system_a"], apart["system_b"], strict=True))

    @property
    def ahead(self) -> Array:
        """1 for a row of `table` in which system A is ahead, -1 for B; 0 or NaN for neither.

        The sign is that of the estimate, or of the effect size if the test estimates nothing: means
        are over other topics where scores are missing, and mean ranks depend on other systems.
        """
        estimate = self.table["estimate"] - 0.5 * (self.chosen.test.estimates == contract.SIGNS)
        return np.asarray(np.sign(estimate.fillna(self.table["effect_size"]).to_numpy(np.float64)))

    @property
    def doubts(self) -> list[str]:
        """The notes that weaken a claim: `cautions`, then cautions on the standardized scores."""
        of_scores = tuple(each for own in self.tested for each in own.standardized.cautions)
        return [n for n in self.notes if n in self.cautions or n.endswith(of_scores)]

    def outcomes(self, scheme: How | None = None) -> pd.DataFrame:
        """Return the number of pairs that each system won and lost significantly, best first.

        The columns are won, undecided (not shown to differ, or without a p value) and lost. Raises
        `SignificanceError` as `letters` does.

        Examples
        --------
        >>> from cdfscore import compare, datasets
        >>> scores = datasets.load_cranfield("ap")[["lsa200", "tfidf", "pl2_c1"]]
        >>> compare(scores, "paired_t").outcomes()
                won  undecided  lost
        lsa200    2          0     0
        pl2_c1    0          1     1
        tfidf     0          1     1
        """
        ordered, _ = self._apart(scheme)
        own = self.table["scheme"] == (self.schemes[0] if scheme is None else name_of(scheme))
        own &= self.table["p_adjusted"] <= self.alpha
        names, ahead = self.table.loc[own, ["system_a", "system_b"]].to_numpy(), self.ahead[own]
        won, lost = (
            pd.Series(np.where(side * ahead > 0, *names.T)[ahead != 0]).value_counts()
            for side in (1, -1)
        )
        found = pd.DataFrame({"won": won, "lost": lost}, index=ordered).fillna(0).astype(np.int64)
        found.insert(1, "undecided", len(ordered) - 1 - found.sum(axis=1))
        return found

    @property
    def significant(self) -> pd.DataFrame:
        """The number and proportion of p values of at most alpha, after the correction.

        A row for each scheme and each kind of pairs: scheme, pairs, tested (pairs with a p value),
        significant, and proportion = significant / tested. Of all pairs of different systems, the
        proportion is the discriminative power. Of two collections, there are also false_positives
        and false_positive_rate: pairs of a system with itself with a p value of at most alpha
        before the correction, which would hide them, and their proportion; NA for other pairs.
        """
        rows = []
        for scheme in self.schemes:
            table = self.table[self.table["scheme"] == scheme]
            for kind, own in self.family.kinds.items():
                p, adjusted = (table.loc[own, name] for name in ("p_value", "p_adjusted"))
                small = [int((each <= self.alpha).sum()) for each in (adjusted, p)]
                tested = int(adjusted.count())
                shares = [each / tested if tested else np.nan for each in small]
                false = (small[1], shares[1]) if kind == pairs.ITSELF else (pd.NA, np.nan)
                rows.append((scheme, kind, tested, small[0], shares[0], *false))
        columns = ["scheme", "pairs", "tested", "significant", "proportion"]
        found = pd.DataFrame(rows, columns=[*columns, "false_positives", "false_positive_rate"])
        return found.astype({"false_positives": "Int64"}) if self.family.split else found[columns]

    def __repr__(self) -> str:
        small = self.table["p_adjusted"] <= self.alpha
        counts = small.groupby(self.table["scheme"], sort=False).sum()
        found = ", ".join(f"{count} by {scheme}" for scheme, count in counts.items())
        after = "" if self.adjust == "none" else f" after {self.adjust}"
        return (
            f"<comparison by {self.test}: {self.family}; "
            f"p <= {written(self.alpha)}{after}: {found}>"
        )


def mean_ranks(matrix: Array) -> Array:
    """Return the mean rank of each system within topics, of scores (topics, systems); 1 is best."""
    return np.asarray(matrix.shape[1] + 1 - ranks_within_topics(matrix)[0].mean(axis=0))


def has_ranks(chosen: contract.ChosenTest, family: pairs.Family, matrix: Array) -> bool:
    """Tell whether a test of all pairs is of ranks, and no score is missing."""
    test = chosen.test
    is_of_ranks = test.effect == contract.RANKS or test.estimates in (
        contract.MEAN_RANKS,
        contract.SIGNS,
    )
    is_of_ranks = is_of_ranks and test.location is None
    return is_of_ranks and not family.baselines and not np.isnan(matrix).any()


def compare(
    scores: IntoFrame,
    test: pairs.Test | None = None,
    *,
    scheme: How | Sequence[How] = "raw",
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
    baselines: str | Sequence[str] = (),
    adjust: str | None = None,
    effect: str | None = None,
    alpha: float = 0.05,
    reference_uncertainty: int = 0,
    seed: int | None = None,
) -> Comparison:
    """Test the differences between systems, on raw or standardized scores.

    A test of all systems at once, `friedman` or `anova_two_way`, gives one row per scheme. It does
    not show which systems differ. The caption names the tests of pairs that can follow it.

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind; the tables of the result are of pandas.
    test
        A test that compares two systems, a family of pairs, or all systems at once: its spelling,
        such as ``"paired_t"`` or ``"permutation:B=1000,seed=3"``, or the test itself. It has no
        default: use ``"paired_t"`` for two systems and ``"max_t"`` for several, or see
        ``cdfscore tests --advise``.
    scheme
        One or several schemes; each has its own family of tests. "raw" tests the scores as they
        are. A `Standardizer` is a scheme with its policies. `Factors` are already fitted. Each
        scheme may be given once only, even with different policies. Under ``missing="omit"`` a
        paired test uses the topics that both systems have; n is their number.
    reference
        The scores to which the schemes are fitted; `scores` itself if not given.
    extra_topics
        What to do with topics of `scores` that the reference, or `Factors`, lack: "refuse" (an
        error) or "drop". "drop" needs a reference or `Factors`.
    baselines
        Systems with which all other systems are compared; by default all pairs are compared.
    adjust
        The correction for several tests, one of `cdfscore.stats.adjustment.METHODS`. The
        default is "holm", and "none" for a simultaneous test such as `tukey_hsd`.
    effect
        The effect size. The default is that of the test; "" is none.
    alpha
        The level of the conclusions in letters, captions and diagrams. The level of the intervals
        is the setting ``conf_level`` of the test. If `permutation` has no B, alpha and the
        correction determine B, so that the test can find a difference.
    reference_uncertainty
        Number of resamples of the reference systems, 200 or more, for the uncertainty from these
        systems (`cdfscore.comparison.ReferenceUncertainty`); 0 for none. It needs a test of pairs
        of systems on the same topics.
    seed
        Seed of these resamples, 0 if not given. The seed of a test is a setting of the test.

    Raises
    ------
    SignificanceError
        If the test is missing or unknown, is a test of one sample, or is undefined for the scores;
        for an unknown setting, correction or effect size; for a baseline, correction or effect
        size with a test of all systems at once; for a reference uncertainty with a test that does
        not compare pairs on the same topics, with raw scores only, or with fewer than three
        reference systems.
    ScoresError
        For fewer than two systems, an infinite standardized score, and a missing one under a test
        of all systems.
    CdfscoreError
        For input that `Standardizer` refuses.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> scores = datasets.load_cranfield("ap")[["ql_dirichlet_mu250", "tfidf", "pl2_c1"]]
    >>> found = compare(scores, "paired_t", scheme="normal")
    >>> found.table[["system_a", "system_b", "n", "estimate", "p_adjusted"]].round(4)
                 system_a system_b    n  estimate  p_adjusted
    0  ql_dirichlet_mu250    tfidf  225   -0.0251      0.4983
    1  ql_dirichlet_mu250   pl2_c1  225   -0.1051      0.0001
    2               tfidf   pl2_c1  225   -0.0800      0.0241
    >>> found.letters()
    {'pl2_c1': 'a', 'tfidf': 'b', 'ql_dirichlet_mu250': 'b'}
    """
    chosen = pairs.chosen_test(test)
    pairs.check_of_systems(chosen)
    alpha = pairs.check_alpha(alpha)
    asked = [scheme] if isinstance(scheme, str) or not isinstance(scheme, Sequence) else scheme
    pairs.check_different(asked)
    check_extra_of(asked, reference, extra_topics)
    names = pairs.baseline_names(baselines)
    pairs.check_options_of_pairs(chosen, names, effect)
    resampling = resampling_of(chosen, reference_uncertainty, seed)
    frame, fitted_on = both_as_pandas(scores, reference)
    with each_once():
        found = compared(
            [standardize(frame, how, fitted_on, extra_topics) for how in asked],
            chosen,
            names,
            pairs.adjustment_of(chosen, adjust),
            pairs.effect_of(chosen, effect),
            alpha,
            resampling,
        )
        warn_of(found.cautions)
    return found


@worded()
def compared(
    standardized: Sequence[Standardized],
    chosen: contract.ChosenTest,
    baselines: tuple[str, ...],
    adjust: str,
    effect: str,
    alpha: float,
    resampling: Resampling | None = None,
) -> Comparison:
    """Test the same pairs on scores standardized by each scheme, after the checks of `compare`."""
    pairs.check_directions(standardized)
    systems = list(standardized[0].frame.columns)
    at_once = isinstance(chosen.test, contract.AllSystems)
    family = pairs.Family.of(systems, baselines, at_once=at_once)
    of_test = pairs.of_shown_pairs(chosen, family)
    if not at_once:
        most = max(len(found.frame) for found in standardized)
        chosen, why = with_enough_resamples(chosen, family, most, adjust, alpha)
        of_test += why
    options = (chosen, baselines, adjust, effect, alpha, resampling)
    tested, tables = list[Tested](), list[pd.DataFrame]()
    means, ranks, critical, reversals, intervals = (dict[str, Any]() for _ in range(5))
    factors, topics = dict[str, Factors](), dict[str, tuple[str, ...]]()
    notes, cautions = dict[str, list[str]](), dict[str, list[str]]()
    for found in standardized:
        name = str(found.factors.fitted.scheme)
        tested.append(each := Tested.of(found, *options))
        own, matrix = each.found, each.found.matrix
        tables.append(table_of(own, family, adjust, name))
        reversals[name] = found.reversal
        means[name], intervals[name] = centers_of(found, chosen)
        factors[name], topics[name] = found.factors, found.topics_with_scores
        if has_ranks(chosen, family, matrix):
            ranks[name] = mean_ranks(matrix)
        if chosen.test.critical_difference is not None:
            critical[name] = chosen.test.critical_difference(own.result, len(systems), alpha)
        cautions[name] = cautions_on(chosen, family, adjust, alpha, matrix, tables[-1])
        cautions[name] += ties_far_from_zero(found, chosen, effect)
        notes[name] = [*found.notes]
        if found.factors.missing == "omit" and found.given.missing():
            notes[name].append(
                f"{chosen.test.center}s are over the topics of each system, tests over the topics "
                "of both systems"
            )
        notes[name] += ties_notes(matrix_of(found, found.frame.to_numpy()), matrix)
    first, table = pairs.joined(cautions), pd.concat(tables, ignore_index=True)
    uncertainty = None
    if resampling is not None:
        uncertainty = uncertainty_of(standardized, family, resampling, chosen.conf_level)
        # Both have a row for each pair, in the same order.
        table = pd.concat([table, uncertainty.pairs[["difference", *PARTS]]], axis=1)
        first += uncertainty.cautions
        of_test += [note for note in uncertainty.notes if note not in first]
    of_test += pairs.traces_of(chosen, effect)
    of_means = pd.DataFrame(means)
    return Comparison(
        table,
        of_means,
        chosen,
        family,
        adjust,
        effect,
        alpha,
        **described(standardized, factors, topics, first, notes, of_test),
        reference="; ".join(dict.fromkeys(filter(None, map(reference_of, standardized)))),
        reversals=reversals,
        uncertainty=uncertainty,
        mean_ranks=pd.DataFrame(ranks, index=of_means.index) if len(ranks) == len(means) else None,
        critical_differences=critical,
        mean_intervals=intervals,
        tested=tuple(tested),
    )


def described(
    standardized: Sequence[Standardized],
    factors: dict[str, Factors],
    topics: dict[str, tuple[str, ...]],
    cautions: list[str],
    notes: dict[str, list[str]],
    of_test: list[str],
) -> dict[str, Any]:
    """Return what a `Comparison` says of its scores and of its test, by the names of its fields."""
    units = standardized[0].units
    cautions = each_in_units(units, cautions)
    of_scores = [*pairs.different_topics(topics), *pairs.joined(notes), *of_test]
    return {
        "units": units,
        "topics": max(map(len, topics.values())),
        "missing": pairs.policies_of(factors, "missing"),
        "constant": pairs.policies_of(factors, "constant"),
        "fitted_to": max((f.fitted_to for f in standardized), key=get_args(FittedTo).index),
        "notes": [*cautions, *each_in_units(units, of_scores)],
        "cautions": cautions,
        "topics_by_scheme": {name: len(own) for name, own in topics.items()},
        "measure": measure_of(standardized[0].given.frame),
    }


def centers_of(found: Standardized, chosen: contract.ChosenTest) -> tuple[Any, pd.DataFrame]:
    """Return the mean of each system with its interval, or its location without one."""
    means, intervals = found.frame_of_means["mean"], mean_intervals(found, chosen.conf_level)
    if (locations := chosen.locations(found.frame.to_numpy())) is None:
        return means, intervals
    return pd.Series(locations, means.index), intervals.assign(low=np.nan, high=np.nan)


def mean_intervals(found: Standardized, conf_level: float) -> pd.DataFrame:
    """Return n, low and high of the mean of each system, by t over its topics."""
    of_systems = one_sample_t(found.frame.to_numpy().T, conf_level=conf_level)
    ends = {"n": of_systems.n, "low": of_systems.conf_low, "high": of_systems.conf_high}
    return pd.DataFrame(ends, index=found.frame.columns)


def table_of(tested: Differences, family: pairs.Family, adjust: str, scheme: str) -> pd.DataFrame:
    """Return a row for each pair of a scheme, with its adjusted p value and effect size."""
    found = tested.result
    p_adjusted = np.empty(len(family))
    for own in family.kinds.values():
        p_adjusted[own] = adjusted(found.p_value[own], adjust)
    first, second = (np.array(names, dtype=object) for names in family.names)
    return pd.DataFrame(
        {
            "scheme": scheme,
            "system_a": first,
            "system_b": second,
            "n": found.n,
            "n_b": found.n_y,
            "estimate": found.estimate,
            "conf_low": found.conf_low,
            "conf_high": found.conf_high,
            "statistic": found.statistic,
            "parameter": found.parameter,
            "p_value": found.p_value,
            "p_value_stderr": found.p_value_stderr,
            "p_adjusted": p_adjusted,
            **tested.effects,
            "method": found.method,
            "reason": found.reason,
        }
    )
