"""Result of a mixed model: tests, coefficients, variances, marginal means, differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.text import written
from cdfscore.models.formula import Formula, Term, labels_of, name_of, term_of
from cdfscore.models.mixed.fit import Fit
from cdfscore.models.mixed.likelihood import Method
from cdfscore.models.result import TUKEY, check_adjustment, tests_of_pairs
from cdfscore.numerics.student_t import interval
from cdfscore.showing import Shown

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.standardized import Standardized


@dataclass(frozen=True, eq=False, repr=False)
class MixedModel(Shown):
    """Result of `mixed_model`: tests, variances and coefficients, and methods for means.

    If the variance of topic is estimated as 0, all results except `log_likelihood` and the interval
    of this variance are for differences within topics: see `mixed_model`.

    Attributes
    ----------
    table
        One row for each scheme and fixed term: ``scheme``, ``term``, ``df``, ``df_error``,
        ``statistic`` (F), ``p_value``.
    variances
        One row for each scheme and random term, and one for the residuals: ``scheme``,
        ``component``, ``variance``, ``sd``, ``proportion`` of the sum of the variances, and the
        interval ``conf_low``, ``conf_high`` of the variance at 1 - alpha.
    coefficients
        One row for each scheme and coefficient of a fixed term, in sum contrasts: ``scheme``,
        ``term``, ``contrast``, ``estimate``, ``stderr``, ``df``, ``statistic`` (t), ``p_value``,
        ``conf_low``, ``conf_high``. The intercept is the mean of all cells, with equal weights,
        however many systems each has. The coefficient of a level is its difference from this mean.
        The coefficient of the last level, which has no row, is minus the sum of the others.
    formula, random, method, alpha
        As of `mixed_model`.
    topics, scores
        The numbers of topics and of scores by scheme.
    log_likelihood
        The log-likelihood by scheme. Log-likelihoods of two formulas can be compared if both are by
        "ML" and on the same scores.
    fitted_to
        The scores that the schemes were fitted to.
    notes
        Sentences on the results, including the cautions.
    cautions
        The notes that were also warnings: on scores that are treated as independent, on effects
        that are assumed to be the same on all topics, and on variances of 0.
    fits
        The fit by scheme, for the methods.
    standardized
        The scores by each scheme, for `cdfscore.verify`.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import mixed_model
    >>> ap, parts = datasets.load_cranfield_grid("ap"), datasets.load_cranfield_components()
    >>> found = mixed_model(ap, "score ~ stemmer", parts, random=["topic", "topic:stemmer"])
    >>> found.means("stemmer")[["stemmer", "mean", "stderr"]].round(3)
      stemmer   mean  stderr
    0    none  0.299   0.017
    1       s  0.311   0.017
    2  porter  0.322   0.017
    """

    table: pd.DataFrame
    variances: pd.DataFrame
    coefficients: pd.DataFrame
    formula: Formula
    random: tuple[Term, ...]
    method: Method
    alpha: float
    topics: dict[str, int]
    scores: dict[str, int]
    log_likelihood: dict[str, float]
    fitted_to: str
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    fits: Mapping[str, Fit] = field(default_factory=dict)
    standardized: tuple[Standardized, ...] = ()

    @property
    def schemes(self) -> list[str]:
        """The schemes, in the order in which they were given."""
        return list(self.fits)

    def means(self, term: str) -> pd.DataFrame:
        """Return the marginal means of a fixed term, ``stemmer`` or ``stemmer:model``.

        One row for each scheme and combination of levels: ``scheme``, a column for each factor,
        ``mean``, ``stderr``, ``df``, and the interval ``conf_low``, ``conf_high`` at 1 - alpha.
        Each mean is the expected score on a new topic, with equal weights for all levels of the
        other factors.

        Raises `ModelError` for a term that is not in the formula.
        """
        import pandas as pd

        own = term_of(self.formula, term)
        found = []
        for scheme, fit in self.fits.items():
            labels, rows = fit.cells(own)
            mean, stderr, df, _ = fit.fixed.estimates(rows)
            low, high = interval(mean, stderr, df, "two-sided", 1 - self.alpha)
            levels = dict(zip(own, zip(*labels, strict=True), strict=True))
            numbers = {"mean": mean, "stderr": stderr, "df": df, "conf_low": low, "conf_high": high}
            found.append(pd.DataFrame({"scheme": scheme, **levels, **numbers}))
        return pd.concat(found, ignore_index=True)

    def contrasts(self, term: str, adjustment: str = TUKEY) -> pd.DataFrame:
        """Return all differences of two marginal means of a fixed term, with tests.

        The columns and the adjustments are those of `Anova.contrasts`; each difference has its own
        degrees of freedom.

        Raises `ModelError` as `means` does, for an unknown adjustment, and if two combinations of
        levels have the same label because levels contain colons.
        """
        import pandas as pd

        check_adjustment(adjustment)
        own = term_of(self.formula, term)
        found = []
        for scheme, fit in self.fits.items():
            labels, rows = fit.cells(own)
            names = labels_of(own, labels)
            pairs = np.triu_indices(len(names), 1)
            estimate, stderr, df, t = fit.fixed.estimates(rows[pairs[0]] - rows[pairs[1]])
            tests = tests_of_pairs(names, pairs, estimate, stderr, df, t, adjustment, self.alpha)
            found.append(pd.DataFrame({"scheme": scheme, **tests}))
        return pd.concat(found, ignore_index=True)

    def __repr__(self) -> str:
        found = []
        for scheme in self.schemes:
            rows = self.table[self.table["scheme"] == scheme]
            small = rows["term"][rows["p_value"] <= self.alpha]
            found.append(f"{', '.join(small) or 'none'} by {scheme}")
        random = " + ".join(map(name_of, self.random))
        return (
            f"<mixed model by {self.method}, {self.formula}, random {random}; "
            f"p <= {written(self.alpha)}: {'; '.join(found)}>"
        )
