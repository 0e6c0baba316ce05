"""Verification of every number of an analysis by R."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from cdfscore.comparison.adjustment import adjust as adjusted
from cdfscore.comparison.attainable import with_enough_resamples
from cdfscore.comparison.choices import (
    Test,
    adjustment_of,
    check_alpha,
    check_options_of_pairs,
    chosen_test,
    effect_of,
)
from cdfscore.comparison.differences import Differences, differences
from cdfscore.comparison.notes import reference_of
from cdfscore.comparison.pairs import Family, baseline_names
from cdfscore.errors import (
    CdfscoreError,
    RNotAvailableError,
    SchemeError,
    SignificanceError,
    VerificationError,
)
from cdfscore.io.scores.given import as_scores
from cdfscore.io.scores.reading import text_layout
from cdfscore.io.scores.writing import write_scores
from cdfscore.io.tables import unguarded
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.r.analysis import TEST_QUANTITIES, Analysis, AnalysisInR, TestAnalysis
from cdfscore.r.correlated import CorrelationAsked, check_correlation
from cdfscore.r.distances import Quantity, compared, on_scores_apart
from cdfscore.r.draws import DrawsFile
from cdfscore.r.further import Asked, Further, asked_of, without_replicates
from cdfscore.r.passed_on import error_of_scores, passed_on, terms_of_bound
from cdfscore.r.published import (
    Check,
    Compared,
    Published,
    allowed_of,
    differences_of,
    paths_of,
    read_published,
)
from cdfscore.r.script import STOPPED, TextFile, encode_script
from cdfscore.r.session import (
    HOW_TO_INSTALL,
    RSession,
    twin_file,
    twin_of_test,
    unreadable,
    without_function,
)
from cdfscore.r.systems import OfSystems
from cdfscore.schemes.base import Scheme
from cdfscore.significance.contract import (
    QUANTITIES,
    AllSystems,
    OneSample,
    TwoSamples,
    terms_of_end,
)
from cdfscore.spelling import argument, option
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.standardized import ExtraTopics, Factors, Standardized
from cdfscore.standardization.standardizer import How, check_extra_of, standardizer_of

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

    from cdfscore.models.anova import SumsType
    from cdfscore.models.goals import Goal
    from cdfscore.models.mixed import Method
    from cdfscore.models.replicates import Replicates

_NOTE = "note: "
_HALTED = "Execution halted"  # what R adds to every error

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
    correlate: IntoFrame | None = None,
    diagnose: bool = False,
    published: str | Path | None = None,
    via: Via = "rpy2",
) -> pd.DataFrame:
    """Run an analysis in Python and in R, and measure the differences of all numbers.

    R runs the reference implementation of the scheme in R (its twin), and R code for the policies
    (constant topics, missing scores, unfitted topics) and for the means. Standardized scores and
    system means are always compared. You can add one of these analyses: a significance `test`; a
    linear model with `formula`; a mixed model with `formula` and `random`; or the number of topics
    for a `goal`.

    Parameters
    ----------
    scores
        Raw scores, topics x systems. For a mixed model they may be `Replicates`.
    scheme
        A scheme, or a `Standardizer` with its policies, which is fitted to `reference`. `Factors`
        are accepted together with the reference that they were fitted to: Python uses the factors,
        and R fits the scheme again.
    reference
        Scores of the reference systems; `scores` if not given.
    test, baselines, adjust, effect, alpha
        A significance test, as in `cdfscore.compare`. If R would take more than about a minute for
        all pairs of a test that draws resamples, it tests the pairs whose adjusted p value is near
        `alpha` (0.05 if not given), and evenly spaced ones of the other pairs. A note says so.
    formula, components, sums_of_squares
        A linear model, as in `cdfscore.models.anova`. The type of the sums of squares is "III" if
        not given. R fits the dense design by ``lm``. Compared are the columns of the table, except
        the intervals of effect sizes (R's noncentral F has 9 digits), and the marginal means of
        each term without topic, with all their differences and Tukey's p values.
    random, method
        Random terms: the model is a mixed model, as in `cdfscore.models.mixed_model`. The method is
        "REML" if not given. R starts from ``lme`` of nlme, a recommended package of R, and improves
        the result by Newton's method. Variances, likelihood, coefficients, tests, marginal means
        and their differences must agree to 1e-7 of each number. Intervals of variances are not
        compared.
    goal
        A goal, as in `cdfscore.models.plan`. R computes the variances of the pilot, the smallest
        number of topics, and the power, width or reliability that it gives.
    reference_uncertainty, seed
        Number of resamples, and their seed, of the uncertainty from the reference systems, as in
        `cdfscore.compare`; only with a test of pairs. R fits the twin to each resample of Python
        again, or to all resamples of up to 7 systems. Standard errors, shares, degrees of freedom
        and intervals are compared, for means and for differences.
    extra_topics
        "refuse" (an error) or "drop", for topics of `scores` that the reference lacks.
    correlate
        Other scores of the same systems, whose means are correlated with those of `scores`, as in
        `cdfscore.rank_correlation.correlate`; each is standardized by itself.
    diagnose
        True to compare the numbers of each topic of `cdfscore.diagnose`: the distances ks, ad and
        cvm, the likelihood, AIC, BIC, log score and CRPS. They must agree to 1e-7. R diagnoses as
        many topics as it can in about a minute.
    published
        A file with a published table of this analysis: CSV, TSV, or .json, .md or .tex as of
        ``cdfscore compare``. Its numbers are compared with those of R at the precision of their
        digits. Settings of the test that are not given are those that a .json file states.
    via
        "rpy2": R runs in this process. "rscript": R runs the stand-alone script of ``cdfscore
        verify --script``.

    Returns
    -------
    DataFrame
        One row for each quantity: "standardized score", "system mean" and the numbers of the other
        analysis. The columns are

        - ``count``: the number of values that are compared;
        - ``max_abs``, ``max_rel`` (relative to R's number), ``max_ulp``: the largest differences.
          One ulp is the distance from a double to the next one;
        - ``allowed_ulp``, ``reason``: the tolerance, at most 4.5e9 ulp, and the reason for it;
        - ``agrees``, ``differs``: whether all numbers agree, and how they differ: by more than the
          tolerance, in a decision at `alpha`, or p values by more than 1e-6;
        - ``topic`` (empty for a mean), ``system``, ``python``, ``r``: the place and the two numbers
          of the largest difference in ulp. With a test or a model, ``system`` names the system, the
          pair, the term, the levels or the number of topics.

        A tolerance may have a floor, such as 1 for from_scipy: smaller numbers are compared in ulp
        of the floor. If the differences of scores nearly cancel, the numbers of a test may differ
        by as much as the last digits of the scores explain (`cdfscore.r.passed_on`).

        A published table has one more row. ``attrs["published"]`` is the data frame of its
        differences: table, row, column, published, and anew. ``attrs["notes_on_tables"]`` has
        notes for each table, such as the columns that are not compared.

        ``attrs["r_version"]`` is the version of R. ``attrs["further"]`` names the quantities of an
        uncertainty, a model or a goal. ``attrs["notes"]`` states what the policies changed, and
        which pairs R tested if it did not test all.

    Raises
    ------
    RNotAvailableError
        If R is not installed, or rpy2 for ``via="rpy2"``.
    ScoresError
        For a published file without a table.
    VerificationError
        If a published table is of another analysis, by its columns or what it states.
        If R stops but Python does not, as for a distribution that R does not have. If neither has a
        number, as for two identical systems, they agree on a ``count`` of 0, and the notes have
        both reasons.
    CdfscoreError
        For input that `Standardizer`, `compare`, `anova`, `mixed_model` or `plan` refuses; for more
        than one of a test, a formula and a goal; for a reference uncertainty without a test; for a
        model or resamples for which R would take more than about two minutes; for an unknown `via`;
        and for `Factors` without the reference that they were fitted to, or, if the reference has
        missing scores, with another policy for them than at the fit.

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
    given = (slots, reference if correlate is None else correlate)
    frames = [as_scores(frame) for frame in given if frame is not None]
    correlated = None
    if correlate is not None:
        check_correlation(scheme, reference)
        correlated = CorrelationAsked(scheme, frames[1])
    table = None if published is None else read_published(published)
    of_test: dict[str, Any] = {"test": test, "baselines": baseline_names(baselines) or None}
    of_test |= {"adjust": adjust, "effect": effect, "alpha": alpha}
    of_model: dict[str, Any] = {"formula": formula, "sums_of_squares": sums_of_squares}
    of_model |= {"random": random, "method": method}
    if table is not None:
        others = {"goal": goal, "correlate": correlate, "diagnose": diagnose or None}
        of_test, of_model = table.filled(of_test, of_model, **others)
    tested = analysis_of_test(**of_test)
    asked = asked_of(
        tested,
        components=components,
        goal=goal,
        reference_uncertainty=reference_uncertainty,
        seed=seed,
        replicates=replicates,
        correlate=correlated,
        diagnose=diagnose,
        **of_model,
    )
    fitted_on = frames[0 if correlate is not None else -1]
    verification = Verification.of(scheme, frames[0], fitted_on, tested, extra_topics, asked)
    if via == "rpy2":
        return verification.through_rpy2(table)
    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        files = [Path(folder, f"{i}.csv") for i in range(len(frames))]
        for frame, path in zip(frames, files, strict=True):
            write_scores(frame, path)
        return verification.through_rscript([TextFile(p, text_layout(p)) for p in files], table)


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
    #: Notes on samples of which the test has no p value in Python, if it has others.
    refused: list[str] = field(default_factory=list)
    extra_topics: ExtraTopics = "refuse"
    further: tuple[Further, ...] = ()

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
            _check_tolerance(how.fitted.scheme)
            found = how.standardize(scores, extra_topics=extra_topics)
        else:
            how = standardizer_of(how)
            _check_tolerance(how.scheme)
            found = how.standardize(scores, reference, extra_topics=extra_topics)
        y, means = found.scores, found.means["mean"].to_numpy()
        systems = list(y.columns)
        quantities = [
            Quantity("standardized score", list(found.used.topics), systems, y.to_numpy()),
            Quantity("system mean", [""], systems, means[np.newaxis]),
        ]
        terms: list[Array] = []
        bounds: list[Array] = []
        undefined, refused = "", []
        further: list[Further] = []
        if tested is not None:
            family = Family.of(systems, tested.baselines) if tested.baselines else None
            compared_systems = differences(found, tested.chosen, family, tested.effect)
            reasons = np.atleast_1d(compared_systems.result.reason)
            undefined = str(reasons[0]) if (reasons != "").all() else ""
            refused = _refused(compared_systems.labels, reasons.tolist())
            p = np.atleast_1d(compared_systems.result.p_value)
            p_adjusted = adjusted(p, tested.adjust)
            tested = tested.on(found, compared_systems.result, p_adjusted)
            error = error_of_scores(found.factors.fitted.scheme.tolerance, y.to_numpy())
            numbers, terms, bounds = quantities_of(compared_systems, tested, p_adjusted, error)
            quantities += numbers
            if not isinstance(tested.chosen.test, OneSample):
                further.append(OfSystems(found, compared_systems, tested, p_adjusted))
        if asked is not None:
            further.append(asked.on(found))
        return cls(
            found,
            scores,
            reference,
            quantities,
            terms,
            bounds,
            tested,
            undefined,
            refused,
            extra_topics,
            tuple(further),
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

    def through_rpy2(self, published: Published | None = None) -> pd.DataFrame:
        """Compare with R in this process."""
        session = RSession()
        with paths_of(published) as tables:
            found = self._analysis.run(session, self.scores, self.reference, tables)
        return self._compared(found, published)

    def through_rscript(
        self, files: list[TextFile], published: Published | None = None
    ) -> pd.DataFrame:
        """Compare with the stand-alone script, which reads these files."""
        script = self.script(files, "script.R", None if published is None else "table.csv")
        paths = [file.path for file in files]
        twins = {twin_file(self.standardized.factors.fitted.scheme): "standardize"}
        if self.tested is not None:
            twins[twin_of_test(self.tested.chosen.test)] = "significance_test"
        with paths_of(published) as tables:
            found = run_script(script, paths, self.draws, twins, tables)
        return self._compared(found, published)

    @property
    def draws(self) -> DrawsFile:
        """The random draws, which go with the script; empty if there are none."""
        return self._analysis.draws

    def script(self, files: list[TextFile], name: str, table: str | None = None) -> bytes:
        """Return the stand-alone script for these files; the names are those in its usage line.

        With the name of a table, the script compares published tables.
        """
        return encode_script(self._analysis, files, name, table)

    @property
    def _analysis(self) -> Analysis:
        how = self.standardized.factors
        policies = how.constant, how.missing, how.unfitted
        lower = how.lower_is_better, how.reflect_at
        what = self.extra_topics, self.further
        scheme, tested = how.fitted.scheme, self.tested
        words = {}
        if tested is not None:
            words = {tested.chosen.test.estimates: "estimate", tested.effect: "effect size"}
        of_tables = {
            "scheme": [str(scheme), scheme.name],
            "words": {word.replace("_", " "): own for word, own in words.items() if word},
            "alpha": 0.05 if tested is None else tested.alpha,
            "sampled": tested is not None and tested.sample is not None,
            "allowed": allowed_of(self._checks),
        }
        return Analysis(scheme, *policies, tested, *lower, *what, of_tables)

    @property
    def _checks(self) -> list[Check]:
        """The numbers of Python, and how they are compared."""
        scheme = self.standardized.factors.fitted.scheme
        tolerance = scheme.tolerance
        y, means, *numbers = self.python
        present = ~np.isnan(y.values)
        terms = np.where(present, np.abs(y.values), 0).sum(0) / np.fmax(present.sum(0), 1)
        # Means of which R breaks a tie; a tolerance of the scores allows for that already.
        tied = self.standardized.has_exact_means and not tolerance.ulp
        of_means = tolerance.of_means(counted=scheme.counts or tied)
        checks: list[Check] = [
            (y, tolerance, None, None),
            (means, of_means, terms[np.newaxis], None),
        ]
        of_test = zip(
            TEST_QUANTITIES[: len(numbers)], numbers, self.terms, self.bounds, strict=True
        )
        for name, ours, size, bound in of_test:
            assert self.tested is not None
            allowed = on_scores_apart(self.tested.tolerances[name], name, tolerance)
            alpha = self.tested.alpha if name in ("p_value", "p_adjusted") else None
            checks.append((ours, allowed, np.fmax(size, terms_of_bound(bound, allowed)), alpha))
        for own in (own for each in self.further for own in each.numbers):
            allowed = own.tolerance
            if allowed.ulp and own.like is not None:  # whole numbers are the same
                allowed = on_scores_apart(allowed, own.like, tolerance)
            level = Further.alpha if own.like == "p_value" else None
            checks.append((own.quantity, allowed, own.terms, level))
        return checks

    def _compared(self, theirs: AnalysisInR, published: Published | None) -> pd.DataFrame:
        import pandas as pd

        if theirs.stopped and not self.undefined:
            raise VerificationError(f"R stops: {theirs.stopped}")
        checks = self._checks
        names, in_r = [own.name for own, *_ in checks], [each.name for each in theirs.quantities]
        if names != in_r:
            raise VerificationError(
                f"R has the quantities {', '.join(in_r)}; expected {', '.join(names)}"
            )
        rows: list[dict[str, object]] = []
        for (ours, allowed, terms, level), r in zip(checks, theirs.quantities, strict=True):
            try:
                rows.append(compared(ours, r, allowed, terms, level))
            except VerificationError as error:  # other topics, as R stops on some
                raise VerificationError("; ".join([str(error), *theirs.notes])) from error
        # A test that has no number on either side has a row of 0 p values, which agree.
        shown = [row for row in rows if row["count"] or row["max_abs"]]
        if self.undefined:
            shown += [row for row in rows if row["quantity"] == "p value" and row not in shown]
        if not shown:
            reasons = [*self.standardized.notes, *theirs.notes]
            raise VerificationError("; ".join(["there is no number to compare", *reasons]))
        scheme = str(self.standardized.factors.fitted.scheme)
        found = differences_of(published, theirs.published, self.facts, scheme)
        table = pd.DataFrame(shown + found[0])
        table.attrs["published"], table.attrs["notes_on_tables"] = found[1:]
        table.attrs["r_version"] = theirs.version
        further = [own for each in self.further for own in each.numbers]
        with_p = self.tested is not None or any(own.like == "p_value" for own in further)
        table.attrs["alpha"] = (self.tested or Further).alpha if with_p else None
        table.attrs["further"] = [own.quantity.name for own in further]
        table.attrs["notes_on_r"] = [
            *(note for each in self.further for note in each.notes),
            *self._notes_on_test(theirs),
            *theirs.notes,
        ]
        table.attrs["notes"] = [*self.standardized.notes, *table.attrs["notes_on_r"]]
        return table

    @property
    def facts(self) -> dict[str, object]:
        """What a result in JSON states of its analysis besides numbers and options."""
        found, systems = self.standardized, list(self.standardized.scores.columns)
        topics = len(found.topics_with_scores)
        facts: dict[str, object] = {
            "topics": topics,
            "topics_by_scheme": topics,
            "scores": int(found.scores.notna().to_numpy().sum()),
            "systems": systems,
            "reversals": found.reversal,
            "fitted_to": found.fitted_to,
            "reference": reference_of(found) or None,
        }
        if self.tested is not None:
            chosen, baselines = self.tested.chosen, self.tested.baselines
            at_once = isinstance(chosen.test, AllSystems)
            family = Family.of_all(systems) if at_once else Family.of(systems, baselines)
            facts |= {"settings": chosen.settings, "family": str(family)}
        return facts

    def _notes_on_test(self, theirs: AnalysisInR) -> list[str]:
        """Return the note on a test of which there is nothing or not everything to compare."""
        if not self.undefined:
            return [*self.refused, *self.of_resamples]
        (p_value,) = (found for found in theirs.quantities if found.name == "p value")
        in_r = "R has numbers" if (~np.isnan(p_value.values)).any() else "R has none either"
        if theirs.stopped:
            in_r = f"R stops ({theirs.stopped})"
        return [f"the test has no number to compare: {self.undefined}; {in_r}"]


def _refused(labels: list[str], reasons: list[str]) -> list[str]:
    """Return a note for each reason for which a sample has no p value in Python.

    >>> _refused(["a - b", "a - c", "b - c"], ["no difference", "", "no difference"])
    ['Python has no p value of a - b (2 times): no difference']
    """
    found = []
    for reason in dict.fromkeys(filter(None, reasons)):
        own = [label for label, each in zip(labels, reasons, strict=True) if each == reason]
        times = f" ({len(own):,} times)" if len(own) > 1 else ""
        found.append(f"Python has no p value of {own[0]}{times}: {reason}")
    return found


def _check_tolerance(scheme: Scheme) -> None:
    """Raise `SchemeError` if the tolerance that a scheme states is none, or has a fault."""
    stated: object = scheme.tolerance
    if not isinstance(stated, Tolerance):
        raise SchemeError(
            f"{scheme.name}: tolerance is {stated!r}; expected one such as Tolerance(16, 'two "
            "solvers'), of cdfscore.numerics.tolerance"
        )
    if stated.fault:
        raise SchemeError(f"{scheme.name}: the tolerance: {stated.fault}")


def _check_reference(factors: Factors, reference: pd.DataFrame) -> None:
    """Raise an error unless the factors say that they were fitted as R would fit them."""
    matrix = ScoreMatrix.of(reference)
    theirs = factors.were_fitted_to(matrix)
    if theirs is None:
        raise CdfscoreError(
            f"{factors!r} do not say which scores they were fitted to, and R fits them again; "
            "expected factors that cdfscore fitted to scores, and not published moments or joined "
            "factors, of which each set can be verified by itself"
        )
    if not theirs:
        raise CdfscoreError(
            f"R fits the scheme again, and needs the scores that {factors!r} were fitted to; give "
            f"these scores by {option('reference')}"
        )
    if factors.missing != factors.fitted_missing and matrix.missing():
        raise CdfscoreError(
            f"{factors!r} were fitted under {argument('missing', factors.fitted_missing)}, and R "
            f"would fit again under {argument('missing', factors.missing)}; expected the policy of "
            "the fit, since the reference has missing scores"
        )


def run_script(
    script: bytes,
    files: list[Path],
    draws: DrawsFile,
    twins: Mapping[Path, str],
    published: Mapping[str, Path] | None = None,
) -> AnalysisInR:
    """Run a script of `encode_script` on its files and draws; return its numbers.

    `twins` are the R files that the script contains and that may be wrong, each with the name of
    its function: if R stops, and one of them is the cause, the error names it.

    Raises `RNotAvailableError` without Rscript, and `VerificationError` if R stops.
    """
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise RNotAvailableError(f"Rscript is not installed; {HOW_TO_INSTALL}")
    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        path = Path(folder, "script.R")
        path.write_bytes(script)
        # Absolute paths, as the names stdin and clipboard have a special meaning in R.
        names = [str(file.absolute()) for file in files]
        if draws.size:
            names.append(str(Path(folder, "script.draws")))
            draws.write(Path(names[-1]))
        command = [rscript, "--vanilla", str(path), *names]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
            tables = list(map(str, (published or {}).values()))
            if tables:
                ran = subprocess.run([*command, *tables], capture_output=True, check=False)
        except OSError as error:
            raise RNotAvailableError(f"{rscript} cannot be run: {error.strerror}") from error
    # Not decoded by subprocess, which would convert a carriage return in a label.
    out, said = _decoded(done.stdout), _decoded(done.stderr).splitlines()
    version = next((line for line in said if line.startswith("R version")), "R")
    notes = [line.removeprefix(_NOTE) for line in said if line.startswith(_NOTE)]
    reasons = [note.removeprefix(STOPPED).strip() for note in notes if note.startswith(STOPPED)]
    stopped = next(iter(reasons), "")
    if done.returncode and not stopped:
        for path, name in twins.items():
            _check_twin(rscript, path, name)
        own = (version, _HALTED, *(_NOTE + note for note in notes))
        reason = " ".join(line.strip() for line in said if line not in own)
        raise VerificationError(f"R stops: {reason or f'exit status {done.returncode}'}")
    try:
        quantities = _quantities(out)
    except ValueError as error:
        raise VerificationError(
            f"the output of the R script cannot be read ({error}); expected lines of quantity, "
            "topic, system and value, and nothing else, such as output of a twin"
        ) from error
    compared = tuple(
        _compared(name, path, _decoded(ran.stdout), _decoded(ran.stderr))
        for name, path in (published or {}).items()
    )
    notes = [note for note in notes if not note.startswith(STOPPED)]
    return AnalysisInR(quantities, version, stopped, notes, compared)


def _compared(name: str, path: Path, out: str, said: str) -> Compared:
    """Read the differences and notes that a script writes about a published table."""
    rows = [row for row in csv.reader(io.StringIO(out, newline="")) if row[0] == str(path)]
    lines = said.splitlines()
    count = re.search(rf"^{re.escape(str(path))}: (\d+) cells compared", said, re.M)
    if count is None:
        own = f"{path}: "
        reasons = [line.removeprefix(own) for line in lines if line.startswith(own)]
        raise VerificationError(f"{name}: {' '.join(reasons or lines)}")
    note = f"note: {path}: "
    notes = [line.removeprefix(note) for line in lines if line.startswith(note)]
    return Compared(int(count[1]), [tuple(unguarded(row[1:])) for row in rows], notes)


def _check_twin(rscript: str, path: Path, name: str) -> None:
    """Raise `VerificationError` if R cannot read a twin, or it does not define its function."""
    code = (
        "given <- commandArgs(TRUE); own <- new.env(); tryCatch(sys.source(given[1], own), error = "
        "function(e) {message(conditionMessage(e)); quit(status = 8)}); "
        'if (!exists(given[2], own, mode = "function", inherits = FALSE)) quit(status = 9)'
    )
    done = subprocess.run(
        [rscript, "--vanilla", "-e", code, str(path.absolute()), name],
        capture_output=True,
        check=False,
    )
    if done.returncode == 9:
        raise without_function(path, name)
    if done.returncode == 8:  # another status is not that of this code
        raise unreadable(path, _decoded(done.stderr))


def _decoded(output: bytes) -> str:
    return output.decode("utf-8", errors="replace")


def _quantities(text: str) -> list[Quantity]:
    """Read quantity, topic, system, value; values are by columns, as in a matrix of R."""
    rows: dict[str, list[list[str]]] = {}
    header, *lines = list(csv.reader(io.StringIO(text, newline=""))) or [[]]
    if header != ["quantity", "topic", "system", "value"] or not lines:
        raise ValueError(f"it begins with {text[:40]!r}")
    for name, *row in lines:
        rows.setdefault(name, []).append(unguarded(row))
    quantities = []
    for name, cells in rows.items():
        topics = list(dict.fromkeys(topic for topic, _, _ in cells))
        systems = list(dict.fromkeys(system for _, system, _ in cells))
        values = np.array([np.nan if value == "NA" else float(value) for *_, value in cells])
        shape = (len(topics), len(systems))
        quantities.append(Quantity(name, topics, systems, values.reshape(shape, order="F")))
    return quantities


def analysis_of_test(
    test: Test | None,
    baselines: str | Sequence[str] | None,
    adjust: str | None,
    effect: str | None,
    alpha: float | None,
) -> TestAnalysis | None:
    """Return the test with its options, if one is given; raises `SignificanceError`."""
    if test is None:
        if baselines or adjust is not None or effect is not None or alpha is not None:
            others = ", ".join(map(option, ("baselines", "adjust", "effect")))
            raise SignificanceError(
                f"{others} and {option('alpha')} need a test; expected {option('test')} too"
            )
        return None
    level = 0.05 if alpha is None else check_alpha(alpha)
    chosen = chosen_test(test)
    names = baseline_names(baselines or ())
    check_options_of_pairs(chosen, names, effect)
    correction, size = adjustment_of(chosen, adjust), effect_of(chosen, effect)
    return TestAnalysis(chosen, names, correction, size, level)


def quantities_of(
    found: Differences, tested: TestAnalysis, p_adjusted: Array, error: float
) -> tuple[list[Quantity], list[Array], list[Array]]:
    """Return the numbers of a test of the pairs that R tests, their terms, and their bounds.

    The terms are sizes for `Tolerance.distance`. The bounds are those of `passed_on`, for scores
    that differ by at most `error`.
    """
    numbers = {name: np.atleast_1d(getattr(found.result, name)) for name in QUANTITIES}
    # Python may have other numbers, but R has none if it stops.
    without = np.isnan(numbers["p_value"])
    numbers = {name: np.where(without, np.nan, values) for name, values in numbers.items()}
    numbers["p_adjusted"] = p_adjusted
    for name, values in found.effects.items():
        numbers[name] = np.where(without, np.nan, values)
    quantities = [
        Quantity(name.replace("_", " "), [""], found.labels, values[np.newaxis])
        for name, values in numbers.items()
    ]
    terms = [np.atleast_1d(found.result.terms(name))[np.newaxis] for name in QUANTITIES]
    # A test says how large the terms of its statistic are; what they allow is capped too.
    place = QUANTITIES.index("statistic")
    most = np.fmax(np.abs(numbers["statistic"]), 1.0)
    ulp = max(tested.tolerances["statistic"].ulp, 1.0)
    with np.errstate(over="ignore"):  # no cap at all
        terms[place] = np.fmin(terms[place], most * Tolerance.MOST / ulp)
    # An error of p below its floor is multiplied as p is, by Bonferroni's correction with m.
    p = numbers["p_value"]
    factor = np.divide(p_adjusted, p, out=np.full_like(p, len(p)), where=p > 0)
    of_adjusted = (tested.tolerances["p_value"].floor * factor)[np.newaxis]
    nothing = np.zeros_like(of_adjusted)
    size = found.effects["effect_size"]
    of_effects = [
        terms_of_end(found.effects[end], size)[np.newaxis] for end in ("effect_low", "effect_high")
    ]
    terms += [of_adjusted, nothing, *of_effects]
    bounded = passed_on(tested.chosen, found.result, found.effects, error)
    bounded["p_adjusted"] = bounded["p_value"] * factor
    bounds = [bounded[name][np.newaxis] for name in numbers]
    if tested.sample is None:
        return quantities, terms, bounds
    places = tested.sample.places
    labels = [found.labels[place] for place in places]
    sampled = [replace(each, systems=labels, values=each.values[:, places]) for each in quantities]
    return sampled, [size[:, places] for size in terms], [each[:, places] for each in bounds]
