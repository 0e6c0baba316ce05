"""Verification of every number of an analysis by R."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from cdfscore.comparison.adjustment import adjust as adjusted
from cdfscore.comparison.attainable import with_enough_resamples
from cdfscore.comparison.choices import (
    Test,
)
from cdfscore.comparison.differences import differences
from cdfscore.comparison.pairs import Family
from cdfscore.errors import CdfscoreError, VerificationError
from cdfscore.io.scores.given import as_scores
from cdfscore.io.scores.layout import text_layout
from cdfscore.io.scores.writing import write_scores
from cdfscore.numerics.types import Array
from cdfscore.r.analysis import TEST_QUANTITIES, Analysis, AnalysisInR, TestAnalysis
from cdfscore.r.distances import check_tolerance, compared, on_scores_apart
from cdfscore.r.draws import DrawsFile
from cdfscore.r.further import Asked, Further
from cdfscore.r.passed_on import error_of_scores, terms_of_bound
from cdfscore.r.quantities import Quantity
from cdfscore.r.rscript import run_script
from cdfscore.r.script import TextFile, encode_script
from cdfscore.r.session import RSession, twin_file
from cdfscore.r.tested import analysis_of_test, quantities_of
from cdfscore.r.tests import twin_of_test
from cdfscore.r.what_follows import asked_of, without_replicates
from cdfscore.significance.contract import TwoSamples
from cdfscore.spelling import argument, option
from cdfscore.standardization.factors import ExtraTopics, Factors
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.standardized import Standardized
from cdfscore.standardization.standardizer import How, check_extra_of, standardizer_of

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

    from cdfscore.models.goals._goal import Goal
    from cdfscore.models.mixed.likelihood import Method
    from cdfscore.models.mixed.replicates import Replicates
    from cdfscore.models.sums_of_squares import SumsType

Via = Literal["rpy2", "rscript"]
WAYS: tuple[str, ...] = get_args(Via)


def verify(
    scores: IntoFrame | Replicates,
    scheme: How,
    *,
    reference: IntoFrame | None = None,
    test: Test | None = None,
    baselines: str | Sequence[str] = (),
    adjust: str | None = None,
    effect: str | None = None,
    alpha: float | None = None,
    formula: str | None = None,
    components: pd.DataFrame | None = None,
    sums_of_squares: SumsType | None = None,
    random: Sequence[str] | None = None,
    method: Method | None = None,
    goal: Goal | str | None = None,
    reference_uncertainty: int = 0,
    seed: int | None = None,
    extra_topics: ExtraTopics = "refuse",
    via: Via = "rpy2",
) -> pd.DataFrame:
    """Standardize `scores` in Python and in R, analyse them, and measure the differences.

    R runs the twin of the scheme, and its own code for the policies (constant topics, missing
    scores, unfitted topics) and the means. It runs in this process through rpy2, or, with
    ``via="rscript"``, as the stand-alone script of ``cdfscore verify --script``. `scheme` is a
    scheme, or a `Standardizer` with its policies, fitted to `reference`, or to `scores` itself
    if not given. It may also be `Factors`, given with the reference that they were fitted to.
    Python then uses the factors, and R fits them again. What follows the standardization is one of
    these, or nothing: a significance `test`, with its family as in `cdfscore.compare`; a model,
    with `formula`, `components` and `sums_of_squares` ("III" if not given) as in
    `cdfscore.models.anova`; a mixed model, with `formula`, `components`, `random` terms and
    `method` ("REML" if not given) as in `cdfscore.models.mixed_model`, whose scores may be
    `Replicates`; or the number of topics for a `goal`, as in `cdfscore.models.plan`. With a test of
    pairs, `reference_uncertainty` and `seed` add the part of the reference systems in the
    uncertainty, as in `cdfscore.compare`.

    A test that draws resamples hands its draws to R, which computes the statistic of each and
    counts: the counts must be equal. If R would take more than about a minute for all pairs of a
    family, it tests those whose adjusted p value is near `alpha` (0.05 if not given), and evenly
    spaced ones of the others, and the notes say so.

    Of the uncertainty R is given the counts of the reference systems in each resample, or takes all
    resamples of up to 7 systems itself. It fits the twin to each of them anew, under the same
    policies, and all standard errors, shares, degrees of freedom and intervals are compared, of
    means and of differences. They may be apart as far as the scores of R may be, and as the sums
    over the resamples are rounded (`cdfscore.comparison.reference_uncertainty.bounds`).

    Of a model R fits the dense design by ``lm``: each column of the table but the intervals of
    effect sizes (R's noncentral F has 9 digits), and the marginal means of each term without topic,
    with all their differences and Tukey's p values. Of a mixed model R has the variances,
    coefficients and likelihood of ``lme`` of nlme, one of R's recommended packages, from where it
    goes on by Newton's method, to 1e-7 of each number; and the tests, marginal means and their
    differences, whose degrees of freedom it computes from the dense covariances of the scores of
    each topic. Intervals of variances are not compared. Of a goal, R
    computes the variances of the pilot, finds the smallest number of topics, and what it reaches.

    Returns
    -------
    DataFrame
        One row per quantity: "standardized score", "system mean" and, with a test, "estimate"
        to "effect high", for which ``system`` names the pair; with a reference uncertainty, a
        model or a goal, their numbers, for which it names the system or pair, the term, the levels,
        or the number of topics. The columns are
        ``count``; the largest differences ``max_abs``, ``max_rel`` (relative to R's number) and
        ``max_ulp``;
        ``allowed_ulp`` and ``agrees``, by the stated tolerances; and, for the largest
        difference in ulp, ``topic`` (empty for a mean), ``system``, and the numbers
        ``python`` and ``r``. An ulp is the distance to the next double. For a scheme whose
        tolerance has a floor, such as 1 for from_scipy, smaller numbers are compared in the
        ulp of the floor. A number of a test that is nearly 0 by cancelling is compared in larger
        ulp too, so that what the last digits of the scores pass on to it
        (`cdfscore.r.passed_on`) is allowed. ``attrs["r_version"]`` is the version of R,
        ``attrs["further"]`` names the quantities of an uncertainty, a model or a goal, and
        ``attrs["notes"]`` tells what the policies changed, and which pairs R tested if it did not
        test all.

    Raises
    ------
    RNotAvailableError
        If R, or for ``via="rpy2"`` rpy2, is not installed.
    VerificationError
        If R stops but Python does not, as for a distribution that R does not have. Where neither
        has a number, as of two identical systems, they agree on a ``count`` of 0, and the notes
        have both reasons.
    CdfscoreError
        For input that `Standardizer`, `compare`, `anova`, `mixed_model` or `plan` refuses, for two
        of a test, a formula and a goal, for a reference uncertainty without a test, for a model or
        resamples that take R more than about two minutes, for an unknown `via`, and for `Factors`
        without the reference that they were fitted to, or, if scores are missing there, with
        another policy for them than that of the fit.

    Examples
    --------
    >>> from cdfscore import datasets, verify
    >>> table = verify(datasets.load_cranfield("ap"), "empirical")
    >>> table[["quantity", "count", "max_ulp", "allowed_ulp", "agrees"]]
                 quantity  count  max_ulp  allowed_ulp  agrees
    0  standardized score  15075      0.0          0.0    True
    1         system mean     67      1.0          2.0    True
    """
    check_via(via)
    check_extra_of((scheme,), reference, extra_topics)
    slots, replicates = without_replicates(scores)
    frames = [as_scores(frame) for frame in (slots, reference) if frame is not None]
    tested = analysis_of_test(test, baselines, adjust, effect, alpha)
    asked = asked_of(
        tested,
        formula,
        components,
        sums_of_squares,
        goal,
        random,
        method,
        reference_uncertainty,
        seed,
        replicates,
    )
    verification = Verification.of(scheme, frames[0], frames[-1], tested, extra_topics, asked)
    if via == "rpy2":
        return verification.through_rpy2()
    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        files = [Path(folder, f"{i}.csv") for i in range(len(frames))]
        for frame, path in zip(frames, files, strict=True):
            write_scores(frame, path)
        return verification.through_rscript([TextFile(p, text_layout(p)) for p in files])


def check_via(via: str) -> None:
    """Raise `CdfscoreError` for an unknown way to run R."""
    if via not in WAYS:
        raise CdfscoreError(f"{argument('via', via)} is not accepted; expected {' or '.join(WAYS)}")


@dataclass(frozen=True)
class Verification:
    """An analysis in Python, and its comparisons with R; for `verify` and its command."""

    standardized: Standardized
    scores: pd.DataFrame
    reference: pd.DataFrame
    python: list[Quantity]
    terms: list[Array]
    #: How far each number of the test may be apart, as the scores of R may be.
    bounds: list[Array]
    tested: TestAnalysis | None = None
    #: The reason, if the test has no number in Python; R must have none either, or stop.
    undefined: str = ""
    extra_topics: ExtraTopics = "refuse"
    further: Further | None = None

    @classmethod
    def of(
        cls,
        how: How,
        scores: pd.DataFrame,
        reference: pd.DataFrame,
        tested: TestAnalysis | None = None,
        extra_topics: ExtraTopics = "refuse",
        asked: Asked | None = None,
    ) -> Verification:
        """Run the analysis in Python; raises what `verify` raises."""
        if isinstance(how, Factors):
            _check_reference(how, reference)
            check_tolerance(how.fitted.scheme)
            found = how.standardize(scores, extra_topics=extra_topics)
        else:
            how = standardizer_of(how)
            check_tolerance(how.scheme)
            found = how.standardize(scores, reference, extra_topics=extra_topics)
        y, means = found.scores, found.means["mean"].to_numpy()
        systems = list(y.columns)
        quantities = [
            Quantity("standardized score", list(found.used.topics), systems, y.to_numpy()),
            Quantity("system mean", [""], systems, means[np.newaxis]),
        ]
        terms: list[Array] = []
        bounds: list[Array] = []
        undefined = ""
        if tested is not None:
            family = Family.of(systems, tested.baselines) if tested.baselines else None
            compared_systems = differences(found, tested.chosen, family, tested.effect)
            reasons = np.atleast_1d(compared_systems.result.reason)
            undefined = str(reasons[0]) if (reasons != "").all() else ""
            p = np.atleast_1d(compared_systems.result.p_value)
            p_adjusted = adjusted(p, tested.adjust)
            tested = tested.on(y.to_numpy(), compared_systems.result, p_adjusted)
            error = error_of_scores(found.factors.fitted.scheme.tolerance, y.to_numpy())
            numbers, terms, bounds = quantities_of(compared_systems, tested, p_adjusted, error)
            quantities += numbers
        return cls(
            found,
            scores,
            reference,
            quantities,
            terms,
            bounds,
            tested,
            undefined,
            extra_topics,
            None if asked is None else asked.on(found),
        )

    @property
    def unfitted(self) -> tuple[str, ...]:
        """The unfitted topics of the scores, not compared; R must stop on them too."""
        return tuple(self.standardized.unfitted_topics)

    @property
    def of_resamples(self) -> list[str]:
        """Notes on a test that draws: fewer resamples than in `compare`, pairs not tested."""
        if self.tested is None:
            return []
        sample = self.tested.sample
        return [*self._fewer_resamples(self.tested), *([] if sample is None else [sample.note])]

    def _fewer_resamples(self, tested: TestAnalysis) -> list[str]:
        if not isinstance(tested.chosen.test, TwoSamples):
            return []
        y = self.standardized.scores
        chosen, more = with_enough_resamples(
            tested.chosen,
            Family.of(list(y.columns), tested.baselines),
            len(y),
            tested.adjust,
            tested.alpha,
        )
        if not more:
            return []
        here, there = tested.chosen.settings["B"], chosen.settings["B"]
        return [
            f"B = {here:,} is verified here, and compare takes {there:,} for these pairs; "
            f"{argument('test', str(chosen))} verifies that"
        ]

    def through_rpy2(self) -> pd.DataFrame:
        """Compare with R in this process."""
        session = RSession()
        return self._compared(self._analysis.run(session, self.scores, self.reference))

    def through_rscript(self, files: list[TextFile]) -> pd.DataFrame:
        """Compare with the stand-alone script, which reads these files."""
        script, paths = self.script(files, "script.R"), [file.path for file in files]
        twins = {twin_file(self.standardized.factors.fitted.scheme): "standardize"}
        if self.tested is not None:
            twins[twin_of_test(self.tested.chosen.test)] = "significance_test"
        return self._compared(run_script(script, paths, self.draws, twins))

    @property
    def draws(self) -> DrawsFile:
        """The random draws, which go with the script; empty if there are none."""
        return self._analysis.draws

    def script(self, files: list[TextFile], name: str) -> bytes:
        """Return the stand-alone script for these files; `name` is its name in the usage line."""
        return encode_script(self._analysis, files, name)

    @property
    def _analysis(self) -> Analysis:
        how = self.standardized.factors
        policies = how.constant, how.missing, how.unfitted
        lower = how.lower_is_better, how.reflect_at
        what = self.extra_topics, self.further
        return Analysis(how.fitted.scheme, *policies, self.tested, *lower, *what)

    def _compared(self, theirs: AnalysisInR) -> pd.DataFrame:
        import pandas as pd

        if theirs.stopped and not self.undefined:
            raise VerificationError(f"R stops: {theirs.stopped}")
        scheme = self.standardized.factors.fitted.scheme
        tolerance = scheme.tolerance
        (y, means, *numbers), (y_in_r, means_in_r, *others_in_r) = self.python, theirs.quantities
        numbers_in_r, further_in_r = others_in_r[: len(numbers)], others_in_r[len(numbers) :]
        present = ~np.isnan(y.values)
        terms = np.where(present, np.abs(y.values), 0).sum(0) / np.fmax(present.sum(0), 1)
        # Means of which R breaks a tie; a tolerance of the scores allows for that already.
        tied = self.standardized.has_exact_means and not tolerance.ulp
        of_means = tolerance.of_means(counted=scheme.counts or tied)
        rows = [
            compared(y, y_in_r, tolerance),
            compared(means, means_in_r, of_means, terms[np.newaxis]),
        ]
        for name, ours, r, size, bound in zip(
            TEST_QUANTITIES[: len(numbers)],
            numbers,
            numbers_in_r,
            self.terms,
            self.bounds,
            strict=True,
        ):
            assert self.tested is not None
            allowed = on_scores_apart(self.tested.tolerances[name], name, tolerance)
            terms = np.fmax(size, terms_of_bound(bound, allowed))
            rows.append(compared(ours, r, allowed, terms))
        further = [] if self.further is None else self.further.numbers
        for own, r in zip(further, further_in_r, strict=True):
            allowed = own.tolerance
            if allowed.ulp and own.like is not None:  # whole numbers are the same
                allowed = on_scores_apart(allowed, own.like, tolerance)
            rows.append(compared(own.quantity, r, allowed, own.terms))
        # A test that has no number on either side has a row of 0 p values, which agree.
        shown = [row for row in rows if row["count"] or row["max_abs"]]
        if self.undefined:
            shown += [row for row in rows if row["quantity"] == "p value" and row not in shown]
        table = pd.DataFrame(shown)
        table.attrs["r_version"] = theirs.version
        table.attrs["further"] = [own.quantity.name for own in further]
        of_further = [] if self.further is None else self.further.notes
        table.attrs["notes"] = [*self.standardized.notes, *of_further, *self._notes_on_test(theirs)]
        return table

    def _notes_on_test(self, theirs: AnalysisInR) -> list[str]:
        """Return the note on a test of which there is nothing or not everything to compare."""
        if not self.undefined:
            return self.of_resamples
        (p_value,) = (found for found in theirs.quantities if found.name == "p value")
        in_r = "R has numbers" if (~np.isnan(p_value.values)).any() else "R has none either"
        if theirs.stopped:
            in_r = f"R stops ({theirs.stopped})"
        return [f"the test has no number to compare: {self.undefined}; {in_r}"]


def _check_reference(factors: Factors, reference: pd.DataFrame) -> None:
    """Raise an error unless the factors say that they were fitted as R would fit them."""
    matrix = ScoreMatrix.of(reference)
    theirs = factors.were_fitted_to(matrix)
    if theirs is None:
        raise CdfscoreError(
            f"{factors!r} do not say which scores they were fitted to, and R fits them again; "
            "expected factors that cdfscore fitted"
        )
    if not theirs:
        raise CdfscoreError(
            f"{factors!r} were fitted to other scores than the reference, and R fits them again; "
            f"expected the scores that they were fitted to, by {option('reference')}"
        )
    if factors.missing != factors.fitted_missing and matrix.missing():
        raise CdfscoreError(
            f"{factors!r} were fitted under {argument('missing', factors.fitted_missing)}, and R "
            f"would fit again under {argument('missing', factors.missing)}; expected the policy of "
            "the fit, since the reference has missing scores"
        )
