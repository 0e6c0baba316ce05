"""Differences between systems: a test over a family of pairs, on raw or standardized scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.comparison.adjustment import adjust as adjusted
from cdfscore.comparison.adjustment import check_method
from cdfscore.comparison.differences import differences
from cdfscore.comparison.letters import compact_letters, groups
from cdfscore.comparison.pairs import Family
from cdfscore.effect_size.registry import effect_sizes
from cdfscore.errors import SignificanceError
from cdfscore.io.scores import topic_labels
from cdfscore.schemes.registry import parse_scheme
from cdfscore.significance.contract.contract import (
    ChosenTest,
    SignificanceTest,
    Simultaneous,
    TwoSamples,
)
from cdfscore.significance.registry import parse_test
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.schemes.base import Scheme
    from cdfscore.standardization.factors import Factors

Test = str | ChosenTest | SignificanceTest[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `compare` found: a row a pair and scheme, and everything a caption must say.

    `table` has the columns scheme, system_a, system_b, n (topics used; n_b those of
    system_b), estimate (what it is says the test's `estimates`: mostly the difference a minus
    b) with conf_low and conf_high, statistic, parameter (the
    degrees of freedom), p_value, p_value_stderr (Monte Carlo), p_adjusted, effect_size with
    effect_low and effect_high, method, and reason: why a number is missing. `means` has the
    mean of each system over its own topics, a column a scheme. `reference` is True where the
    schemes were fitted on other scores.
    """

    table: pd.DataFrame
    means: pd.DataFrame
    chosen: ChosenTest
    family: Family
    adjust: str
    effect: str
    alpha: float
    topics: int
    missing: str
    degenerate: str
    reference: bool
    notes: list[str] = field(default_factory=list)

    @property
    def test(self) -> str:
        """The test and its settings as the command line spells them."""
        return str(self.chosen)

    @property
    def simultaneous(self) -> bool:
        """True where the test itself deals with the family, so that p_value is adjusted."""
        return isinstance(self.chosen.test, Simultaneous)

    @property
    def systems(self) -> list[str]:
        """The systems, in the order of the scores."""
        return list(self.family.systems)

    @property
    def schemes(self) -> list[str]:
        """The schemes, in the order in which they were asked for."""
        return list(self.means.columns)

    def letters(self, scheme: str | None = None) -> dict[str, str]:
        """Return a compact letter display: systems that share a letter do not differ at alpha.

        A pair without a p value counts as not different. Raises `SignificanceError` where
        not all pairs were compared, or not by this scheme.
        """
        return compact_letters(*self._apart(scheme))

    def groups(self, scheme: str | None = None) -> list[list[str]]:
        """Return the systems that share each letter of `letters`."""
        return groups(*self._apart(scheme))

    def _apart(self, scheme: str | None) -> tuple[list[str], list[tuple[str, str]]]:
        """Return the systems, best mean first, and the pairs that differ."""
        if self.family.baselines:
            raise SignificanceError(
                "letters and diagrams need all pairs, and only those with the baselines "
                f"{', '.join(self.family.baselines)} were compared"
            )
        settings = self.chosen.settings
        if self.chosen.test.shows != "difference":
            raise SignificanceError(
                f"a small p value of {self.chosen.test.name} shows {self.chosen.test.shows}, and "
                "letters and diagrams are of differences; expected a test of a difference"
            )
        if settings.get("alternative", "two-sided") != "two-sided" or settings.get("null_value", 0):
            raise SignificanceError(
                f"letters and diagrams do not depend on which system is first, and {self.test} "
                "does; expected a two-sided test of no difference"
            )
        scheme = self.schemes[0] if scheme is None else str(parse_scheme(scheme))
        if scheme not in self.schemes:
            raise SignificanceError(
                f"there is no comparison by {scheme!r}; expected one of {', '.join(self.schemes)}"
            )
        rows = self.table[self.table["scheme"] == scheme]
        apart = rows[rows["p_adjusted"] <= self.alpha]
        ordered = self.means[scheme].sort_values(ascending=False, kind="stable").index
        return list(ordered), list(zip(apart["system_a"], apart["system_b"], strict=True))

    def __repr__(self) -> str:
        return f"<comparison by {self.test}: {self.family}, {', '.join(self.schemes)}>"


def compare(
    scores: pd.DataFrame,
    test: Test,
    *,
    scheme: Scheme | str | Sequence[Scheme | str] = "raw",
    reference: pd.DataFrame | None = None,
    baselines: str | Sequence[str] = (),
    adjust: str | None = None,
    effect: str | None = None,
    alpha: float = 0.05,
    degenerate: str = "limit",
    missing: str = "raise",
    unfitted: str = "raise",
) -> Comparison:
    """Test the differences between systems, on raw scores or on standardized ones.

    Parameters
    ----------
    scores
        Topics x systems.
    test
        A test that compares two systems, or a family of pairs: its spelling, such as
        ``"paired_t"`` or ``"permutation:B=1000,seed=3"``, or the test itself.
    scheme
        A scheme, or several: each is a family of its own. "raw" tests the scores as they are.
    reference
        The scores on which the schemes are fitted; `scores` itself if not given.
    baselines
        Systems that all others are compared with; all pairs are compared if there is none.
    adjust
        The correction for many tests, one of `cdfscore.adjustment.METHODS`; "holm" if not
        given, "none" for a test that is simultaneous itself, such as `tukey_hsd`.
    effect
        The effect size; if not given, the one that goes with the test.
    alpha
        The level of the conclusions: of letters, captions and diagrams. The level of the
        intervals is the test's own setting ``conf_level``.
    degenerate, missing, unfitted
        The policies of `Standardizer`. Under ``missing="omit"`` a paired test uses the topics
        that both systems have, and n says how many.

    Raises
    ------
    SignificanceError
        For an unknown test, setting, correction or effect size, a test that compares no
        pairs, and scores that the test cannot be made of.
    CdfscoreError
        For whatever `Standardizer` refuses.

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
    chosen = chosen_test(test)
    if not isinstance(chosen.test, TwoSamples | Simultaneous):
        raise SignificanceError(
            f"{chosen.test.name} is a test of {chosen.test.samples}; expected one that compares "
            "pairs of systems, such as paired_t or tukey_hsd"
        )
    _check_alpha(alpha)
    adjust = adjustment_of(chosen, adjust)
    effect = effect_of(chosen, effect)
    asked = [scheme] if isinstance(scheme, str) or not isinstance(scheme, Sequence) else scheme
    family = None
    tables, means, notes = [], {}, []
    topics = 0
    for one in asked:
        standardizer = Standardizer(one, degenerate=degenerate, missing=missing, unfitted=unfitted)
        name = str(standardizer.parsed)
        if name in means:
            raise SignificanceError(f"the scheme {name} is given twice")
        factors = standardizer.fit(scores if reference is None else reference)
        y = factors.transform(scores)
        if family is None:
            names = [baselines] if isinstance(baselines, str) else list(baselines)
            family = Family.of(list(y.columns), names)
        _refuse_infinite(y, name)
        topics = len(y)
        means[name] = factors.system_means(scores)["mean"]
        _refuse_gaps(chosen, y)
        tables.append(_table(chosen, family, y, effect, adjust, name))
        notes += [*_notes(scores, y, factors), *_cautions(chosen, family, tables[-1], alpha)]
    if family is None:
        raise SignificanceError("no scheme is given; expected one or more, such as 'raw'")
    import pandas as pd

    return Comparison(
        table=pd.concat(tables, ignore_index=True),
        means=pd.DataFrame(means),
        chosen=chosen,
        family=family,
        adjust=adjust,
        effect=effect,
        alpha=alpha,
        topics=topics,
        missing=missing,
        degenerate=degenerate,
        reference=reference is not None,
        notes=list(dict.fromkeys(notes)),
    )


def chosen_test(test: Test) -> ChosenTest:
    """Return a test with its settings; raises `SignificanceError` for what is none."""
    if isinstance(test, str):
        test = parse_test(test)
    elif isinstance(test, SignificanceTest):
        test = test.chosen({})
    if not isinstance(test, ChosenTest):
        raise SignificanceError(
            f"test={test!r} is not accepted; expected a significance test such as paired_t, or "
            "its spelling such as 'paired_t'"
        )
    return test


def adjustment_of(chosen: ChosenTest, adjust: str | None) -> str:
    """Return the correction for many tests: Holm's, or none for a test of the whole family."""
    simultaneous = isinstance(chosen.test, Simultaneous)
    if adjust is None:
        return "none" if simultaneous else "holm"
    check_method(adjust)
    if simultaneous and adjust != "none":
        raise SignificanceError(
            f"adjust={adjust!r} would correct {chosen.test.name} a second time, whose p values "
            "hold for the whole family; expected 'none'"
        )
    return adjust


def effect_of(chosen: ChosenTest, effect: str | None) -> str:
    """Return the name of an effect size: the one that goes with the test if none is given."""
    if effect:
        effect_sizes.load(effect)
    return chosen.test.effect if effect is None else effect


def _check_alpha(alpha: float) -> None:
    if not isinstance(alpha, int | float | np.floating) or not 0 < alpha < 1:
        raise SignificanceError(
            f"alpha={alpha!r} is not accepted; expected a number between 0 and 1, such as 0.05"
        )


def _table(
    chosen: ChosenTest, family: Family, y: pd.DataFrame, effect: str, adjust: str, scheme: str
) -> pd.DataFrame:
    import pandas as pd

    tested = differences(y, chosen, family.baselines, effect)
    found = tested.result
    names = np.array(family.systems, dtype=object)
    return pd.DataFrame(
        {
            "scheme": scheme,
            "system_a": names[family.first],
            "system_b": names[family.second],
            "n": found.n,
            "n_b": found.n_y,
            "estimate": found.estimate,
            "conf_low": found.conf_low,
            "conf_high": found.conf_high,
            "statistic": found.statistic,
            "parameter": found.parameter,
            "p_value": found.p_value,
            "p_value_stderr": found.p_value_stderr,
            "p_adjusted": adjusted(found.p_value, adjust),
            **tested.effects,
            "method": found.method,
            "reason": found.reason,
        }
    )


def _refuse_gaps(chosen: ChosenTest, y: pd.DataFrame) -> None:
    """Raise an error, by its labels, for a missing score under a test of the whole family."""
    missing = np.isnan(y.to_numpy())
    if isinstance(chosen.test, Simultaneous) and missing.any():
        topic, system = np.argwhere(missing)[0]
        raise SignificanceError(
            f"{chosen.test.name} needs every score, and topic {topic_labels(y)[topic]!r}, system "
            f"{y.columns[system]!r} has none; expected a complete matrix, as "
            "missing='drop_topic' makes it"
        )


def _cautions(chosen: ChosenTest, family: Family, table: pd.DataFrame, alpha: float) -> list[str]:
    """Say where a result is not what one would take it for."""
    cautions = []
    if isinstance(chosen.test, Simultaneous) and chosen.test.of_all and family.baselines:
        cautions.append(
            f"p values and intervals hold for all pairs of the {len(family.systems)} systems, of "
            "which those with the baselines are shown"
        )
    p, least = table["p_value"], 1 / (chosen.settings.get("B", 0) + 1)
    if (
        (table["p_value_stderr"] > 0).any()
        and p.min() <= alpha < table["p_adjusted"].min()
        and np.isclose(p.min(), least)
    ):
        cautions.append(
            f"no adjusted p value can be {alpha:g} or less with B = {chosen.settings['B']}, of "
            f"which the least p value is {least:.2g}: more resamples can, or max_t"
        )
    return cautions


def _refuse_infinite(y: pd.DataFrame, scheme: str) -> None:
    infinite = np.isinf(y.to_numpy())
    if infinite.any():
        topic, system = np.argwhere(infinite)[0]
        raise SignificanceError(
            f"topic {topic_labels(y)[topic]!r}, system {y.columns[system]!r}: the score by "
            f"{scheme} is infinite; expected another policy for constant topics, such as "
            "degenerate='half' or 'nan'"
        )


def _notes(scores: pd.DataFrame, y: pd.DataFrame, factors: Factors) -> list[str]:
    """Say what the policies did to the scores."""
    notes, missing, scheme = [], factors.missing, factors.fitted.scheme
    absent = int(np.isnan(scores.to_numpy(dtype=np.float64, na_value=np.nan)).sum())
    kept = set(topic_labels(y))
    refused = [topic for topic in topic_labels(scores) if topic in factors.refused]
    dropped = [t for t in topic_labels(scores) if t not in kept and t not in factors.refused]
    if dropped:
        notes.append(f"{len(dropped)} of {len(scores)} topics dropped for missing scores")
    elif absent:
        done = {"omit": "passed over", "zero": "taken as 0"}.get(missing, missing)
        notes.append(f"{absent} missing scores {done}")
        if missing == "omit":
            notes.append("means are over each system's own topics, tests over those of both")
    if refused:
        notes.append(
            f"{len(refused)} of {len(scores)} topics without a fit of {scheme} left out, the first "
            f"of them {refused[0]}: {factors.refused[refused[0]]}"
        )
    fitted = y[[topic not in factors.refused for topic in topic_labels(y)]].to_numpy()
    undefined = int(np.isnan(fitted).sum()) - (absent if missing == "omit" else 0)
    if undefined > 0:
        notes.append(f"{undefined} scores undefined by {scheme}, passed over")
    return notes
