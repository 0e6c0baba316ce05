"""Verification of every number of a result by R."""

from __future__ import annotations

import math
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from cdfscore.errors import CdfscoreError, RNotAvailableError, SchemeError, VerificationError
from cdfscore.r.analysis import (
    STOPPED,
    Analysis,
    AnalysisInR,
    Checked,
    DrawsFile,
    Judged,
    Part,
    Quantity,
    compared,
    terms_of_bound,
)
from cdfscore.r.published import (
    Published,
    allowed_of,
    compared_in_r,
    differences_of,
    paths_of,
    read_published,
)
from cdfscore.r.script import RSCRIPT, TextFile, encode_script, in_process, run_script
from cdfscore.r.session import RSession, started, twin_of
from cdfscore.scores.dataframes import PANDAS
from cdfscore.scores.frame import as_scores
from cdfscore.scores.labels import topic_labels
from cdfscore.scores.reading import text_layout
from cdfscore.scores.writing import write_scores
from cdfscore.standardization import policies
from cdfscore.standardization.policies import ScoreMatrix
from cdfscore.standardization.standardized import Factors, Standardized, reference_of
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme, scheme_label, whose

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.scores.dataframes import IntoFrame

Via = Literal["rpy2", "rscript"]
WAYS: tuple[str, ...] = get_args(Via)
#: Who computes a result again.
Against = Literal["r", "statsmodels"]
#: Tolerances against statsmodels and SciPy.
_OF_ZERO = Tolerance(0, "the scores are taken as they are")
_OF_MEANS = Tolerance(4, "the judge adds with one rounding; a mean is rounded here as in R")
_OF_ENDS = Tolerance(8, "two algorithms; 1e-10 of the margin, and the last digits of the end")
_OF_OTHERS = Tolerance(45_000, "two algorithms; 1e-11 of the number")
#: What the intervals are of, by what their ends are called before "low" and "high".
_CENTRES = {"conf": "estimate", "effect": "effect size", "mean: conf": "system mean"}
#: Of scores whose size is so many times half their range, the last digits count.
_LAST_DIGITS = 128
#: What a user has set, among the numbers of results and of their tables.
_SETTINGS = frozenset(
    {"alpha", "confidence", "curve: topics", "reliability: topics", "topics needed: reliability"}
)
#: The largest tolerances of other numbers, of tails and of maxima: those for R may be wider.
_TAILS, _SEARCHED = 450_000.0, 45_000.0


def verify(
    result: object,
    *,
    reference: IntoFrame | None = None,
    published: str | Path | None = None,
    via: Via | None = None,
    against: Against | None = None,
) -> pd.DataFrame:
    """Compute a result in R or by statsmodels again, and measure the differences of all numbers.

    R runs the reference implementation of the scheme in R (its twin), and R code for the policies
    (constant topics, missing scores, unfitted topics) and for the means. Standardized scores and
    system means are always compared, and for other results their own numbers too.

    Parameters
    ----------
    result
        A result by one scheme:

        - `Standardized`, of ``Standardizer.standardize`` or ``Factors.standardize``;
        - `Comparison`, of `cdfscore.compare`, also with `reference_uncertainty`. R fits the twin to
          each resample of Python again, or to all resamples of up to 7 systems. If R would take
          more than about a minute for all pairs of a test that draws resamples, it tests the pairs
          whose adjusted p value is near `alpha`, and evenly spaced ones of the other pairs. A note
          says so.
        - `Anova`, of `cdfscore.models.anova`. R fits the dense design by ``lm``. Compared are the
          columns of the table, except the intervals of effect sizes (R's noncentral F has 9
          digits), and the marginal means of each term without topic, with all their differences
          and Tukey's p values.
        - `MixedModel`, of `cdfscore.models.mixed_model`. R starts from ``lme`` of nlme, a
          recommended package of R, and improves the result by Newton's method. Variances,
          likelihood, coefficients, tests, marginal means and their differences must agree to 1e-7
          of each number. Intervals of variances are not compared.
        - `Plan`, of `cdfscore.models.plan` with one pilot. R computes the variances of the pilot,
          the smallest number of topics, and the power, width or reliability that it gives.
        - `GStudy` and `DStudy`, of `cdfscore.models`: components of variance, reliabilities and
          numbers of topics, with the intervals. R solves the dense design by ``lm``.
        - `Correlation`, of `cdfscore.correlate`: also the means of the second scores.
        - `Diagnosis`, of `cdfscore.diagnose`: the distances ks, ad and cvm, the likelihood, AIC,
          BIC, log score and CRPS of each topic. They must agree to 1e-7. R diagnoses as many topics
          as it can in about a minute.
    reference
        The scores that the scheme of a result by `Factors` was fitted to, if they are others than
        its own: R fits the scheme again. Other results know them.
    published
        A file with a published table of this result: CSV, TSV, or .json, .md or .tex as of
        ``cdfscore compare``. Its numbers are compared with those of R at the precision of their
        digits.
    via
        "rpy2": R runs in this process. "rscript": R runs the stand-alone script of ``cdfscore
        verify --script``. The default is rpy2, or Rscript if rpy2 is not installed.
    against
        "r", or "statsmodels": statsmodels computes the same numbers, or SciPy and NumPy where
        statsmodels has none or is inaccurate. They take the scores after the policies, and the
        standardized scores for all other numbers. The default is R, or statsmodels if R is not
        installed and no table is given.

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
        by as much as the last digits of the scores explain (`cdfscore.comparison.in_r.passed_on`).

        A published table has one more row. ``attrs["published"]`` is the data frame of its
        differences: table, row, column, published, and anew. ``attrs["notes_on_tables"]`` has
        notes for each table, such as the columns that are not compared.

        Against statsmodels, the last columns are ``python``, ``statsmodels`` and ``by``: the
        functions that computed the numbers. ``attrs["without"]`` has the number of values without a
        counterpart, by quantity.

        ``attrs["judge"]`` names R or statsmodels with the version; ``attrs["r_version"]`` is that
        of R. ``attrs["further"]`` names the quantities of an
        uncertainty, a model or a goal. ``attrs["notes"]`` states what the policies changed, and
        which pairs R tested if it did not test all.

    Raises
    ------
    RNotAvailableError
        If R is not installed, for ``against="r"`` or a published table, or rpy2 for
        ``via="rpy2"``.
    ScoresError
        For a published file without a table.
    VerificationError
        If a published table is of another analysis, by its columns or what it states.
        If R stops but Python does not, as for a distribution that R does not have. If neither has a
        number, as for two identical systems, they agree on a ``count`` of 0, and the notes have
        both reasons. Against statsmodels, if no number of the test, the model or another part has
        a counterpart, or without these of the scheme.
        For a result by several schemes, and for another one.
    CdfscoreError
        For a model or resamples for which R would take more than about two minutes; for an unknown
        `via` or `against`, or one of `via` and `published` with statsmodels; and for `Factors`
        without the reference that they were fitted to, or, if the reference has missing scores,
        with another policy for them than at the fit.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets, verify
    >>> table = verify(Standardizer("empirical").standardize(datasets.load_cranfield("ap")))
    >>> table[["quantity", "count", "max_ulp", "allowed_ulp", "agrees"]]
                 quantity  count  max_ulp  allowed_ulp  agrees
    0  standardized score  15075      0.0          0.0    True
    1         system mean     67      1.0          2.0    True
    """
    way, note = way_of(against, via, of_table=published is not None)
    table = None if published is None else read_published(published)
    verification = Verification.of(result, None if reference is None else as_scores(reference))
    if table is not None:
        table.check({key: own for each in verification.parts for key, own in each.settings.items()})
    if way == "statsmodels":
        found = verification.by_statsmodels()
    elif way == "rpy2":
        found = verification.through_rpy2(table)
    else:
        with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
            files = []
            for i, frame in enumerate(verification.frames):
                files.append(Path(folder, f"{i}.csv"))
                write_scores(frame, files[-1])
            found = verification.through_rscript(
                [TextFile(p, text_layout(p)) for p in files], table
            )
    if note:
        found.attrs["notes"] = [note, *found.attrs["notes"]]
    return found


def way_of(
    against: str | None, via: str | None, *, of_table: bool, runs: bool = True
) -> tuple[str, str]:
    """Return "rpy2", "rscript" or "statsmodels", and a note if it is not the usual one.

    If `runs`, R is started where there is another way, should it not start.

    Raises `CdfscoreError` for unknown names, and for what does not go with statsmodels.
    """
    if via is not None and via not in WAYS:
        raise CdfscoreError(f"via={via!r} is not accepted; expected {' or '.join(WAYS)}")
    if against is not None and against not in get_args(Against):
        raise CdfscoreError(f"against={against!r} is not accepted; expected r or statsmodels")
    if against == "statsmodels":
        if given := "via=..." if via is not None else "published=..." if of_table else "":
            raise CdfscoreError(
                f"{given} is for R, and against='statsmodels' is given; expected one of them"
            )
        return "statsmodels", ""
    if via is not None:
        return via, ""
    has_r = shutil.which("R") is not None or "R_HOME" in os.environ
    has_rscript = shutil.which(RSCRIPT[0]) is not None
    if find_spec("rpy2") is None and has_rscript:
        return "rscript", "rpy2 is not installed; R is run by Rscript, as with via='rscript'"
    if has_rscript and runs:
        try:
            started()
        except RNotAvailableError as error:
            told, _, _ = str(error).partition("; expected")
            return "rscript", f"{told}; R is run by Rscript, as with via='rscript'"
    if against is None and not of_table and not (has_r or has_rscript):
        return "statsmodels", "R is not installed; the judge is statsmodels"
    return "rpy2", ""


@singledispatch
def in_r(result: Any) -> tuple[Standardized, tuple[Part, ...]]:
    """Return the scores of a result, and the parts of its analysis."""
    raise VerificationError(
        f"there is no second way to compute {type(result).__name__}; expected the result of "
        "standardize, compare, correlate, diagnose, anova, mixed_model, g_study, d_study or plan"
    )


@in_r.register
def _(result: Standardized) -> tuple[Standardized, tuple[Part, ...]]:
    return replace(result, kind=PANDAS), ()


def scores_by_one_scheme(by_scheme: tuple[Standardized, ...]) -> Standardized:
    """Return the scores of a result by one scheme; raises `VerificationError` for several."""
    if len(by_scheme) != 1:
        schemes = ", ".join(str(each.factors.fitted.scheme) for each in by_scheme)
        raise VerificationError(
            f"the result is by {schemes or 'several pilots or collections'}, and R computes one "
            "matrix of scores by one scheme; expected a result of one"
        )
    return by_scheme[0]


@dataclass(frozen=True, eq=False)
class Verification:
    """A result of Python and its analysis in R, for `verify` and its command."""

    result: object
    standardized: Standardized
    parts: tuple[Part, ...]
    #: The scores that R fits the scheme to.
    reference: pd.DataFrame

    @classmethod
    def of(cls, result: object, reference: pd.DataFrame | None = None) -> Verification:
        """Return the analysis of a result; raises what `verify` raises before R runs."""
        room = f"{type(result).__module__.rpartition('.')[0]}.in_r"
        if room.startswith("cdfscore.") and find_spec(room) is not None:
            import_module(room)
        found, parts = in_r(result)
        _check_tolerance(found.factors.fitted.scheme)
        if found.reference is not None:
            if reference is not None:
                raise CdfscoreError(
                    "reference=... is for a result by factors, and this one knows the scores that "
                    "its scheme was fitted to; expected no reference"
                )
            return cls(result, found, parts, found.reference.frame)
        own = found.given.frame if reference is None else reference
        _check_reference(found.factors, own)
        return cls(result, found, parts, own)

    @property
    def frames(self) -> list[pd.DataFrame]:
        """The scores, and the reference or the second scores if there are any."""
        scores = self.standardized.given.frame
        other = self._analysis.other
        second = self.reference if other is None else other
        return [scores] if second is scores else [scores, second]

    @property
    def _labels(self) -> set[str]:
        return {each for own in self.frames for each in (*topic_labels(own), *own.columns)}

    @property
    def unfitted(self) -> tuple[str, ...]:
        """The unfitted topics of the scores, not compared; R must stop on them too."""
        return tuple(self.standardized.unfitted_topics)

    def through_rpy2(self, published: Published | None = None) -> pd.DataFrame:
        """Compare with R in this process."""
        with paths_of(published, self._labels) as tables:
            return self._compared(self.in_process(RSession(), tables), published)

    def in_process(self, session: RSession, tables: dict[str, Path]) -> AnalysisInR:
        """Run the analysis in a running R; raises `VerificationError` if R stops."""
        analysis = self._analysis
        code = in_process(analysis, compares_tables=bool(tables))
        matrices = [
            session.named(each.to_numpy(), topic_labels(each), list(each.columns))
            for each in self.frames
        ]
        given = {
            "matrices": session.rinterface.baseenv["list"](*matrices),
            "tables": session.strings(list(map(str, tables.values()))),
        }
        try:
            with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
                path = Path(folder, "draws")
                analysis.draws.write(path)
                with session.printing_nothing():
                    draws = session.strings([str(path)])
                    found = session.evaluated(code, {**given, "draws": draws})
            results, labels = found["results"], dict[int, list[str]]()
            quantities = []
            for name, own in zip(results.do_slot("names"), results, strict=True):
                both = own.do_slot("dimnames")
                for each in both:  # most quantities share a vector of labels, which takes long
                    if each.rid not in labels:
                        labels[each.rid] = list(each)
                topics, systems = (labels[each.rid] for each in both)
                quantities.append(Quantity(name, topics, systems, session.array(own)))
            is_tested = any(each.is_test for each in self.parts)
            stopped = str(found["tested"].do_slot("stopped")[0]) if is_tested else ""
        except (LookupError, TypeError) as error:  # a twin can replace a function of R
            raise VerificationError(
                f"the numbers of R cannot be read ({error}); expected matrices with names"
            ) from error
        except session.error as error:
            for twin, name in self._twins.items():
                session.function_of(twin, name)
            raise VerificationError(f"R stops: {' '.join(str(error).split())}") from error
        said = map(str, found["notes"])
        notes = [*session.notes, *(note for note in said if not note.startswith(STOPPED))]
        results = zip(tables, found["compared"], strict=True) if tables else ()
        published = tuple(compared_in_r(name, own) for name, own in results)
        return AnalysisInR(quantities, session.version, " ".join(stopped.split()), notes, published)

    def through_rscript(
        self, files: list[TextFile], published: Published | None = None
    ) -> pd.DataFrame:
        """Compare with the stand-alone script, which reads these files."""
        script = self.script(files, "script.R", None if published is None else "table.csv")
        paths = [file.path for file in files]
        with paths_of(published, self._labels) as tables:
            found = run_script(script, paths, self.draws, self._twins, tables)
        return self._compared(found, published)

    @property
    def _twins(self) -> dict[Path, str]:
        scheme = self.standardized.factors.fitted.scheme
        twins = {path: name for each in self.parts for path, name in each.twins.items()}
        own = {twin_of(part): part.in_r for part in scheme.parts.values()}
        return {twin_of(scheme): "standardize", **own, **twins}

    @property
    def without_twin(self) -> str:
        """A sentence on what has no R twin; "" if all have one."""
        try:
            self._twins.keys()
        except VerificationError as error:
            return str(error)
        return ""

    @property
    def draws(self) -> DrawsFile:
        """The random draws, which go with the script; empty if there are none."""
        return self._analysis.draws

    def script(self, files: list[TextFile], name: str, table: str | None = None) -> bytes:
        """Return the stand-alone script for these files; the names are those in its usage line."""
        return encode_script(self._analysis, files, name, table)

    @cached_property
    def _analysis(self) -> Analysis:
        how = self.standardized.factors
        scheme = how.fitted.scheme
        of_tables: dict[str, Any] = {
            "scheme": [str(scheme), scheme.name, scheme_label(str(scheme))],
            "words": {},
            "alpha": 0.05,
            "sampled": False,
            "allowed": allowed_of(self._checks),
        }
        for each in self.parts:
            of_tables |= each.published
        return Analysis(
            scheme,
            how.constant,
            how.missing,
            how.unfitted,
            how.lower_is_better,
            how.reflect_at,
            "drop" if self.standardized.extra_topics else "refuse",
            self.parts,
            of_tables,
        )

    def by_statsmodels(self) -> pd.DataFrame:
        """Compare with statsmodels, SciPy and NumPy."""
        import pandas as pd
        import scipy
        import statsmodels

        from cdfscore.stats.judge import schemes

        try:
            judged = {**self._scores_by_scipy()}
            for part in self.parts:
                judged |= part.by_statsmodels()
        except CdfscoreError:
            raise
        except (ArithmeticError, LookupError, RuntimeError, ValueError) as error:
            raise VerificationError(
                f"statsmodels or SciPy stops ({type(error).__name__}: {error}); expected R as the "
                "judge, against=r"
            ) from error
        fitted = self.standardized.factors.fitted
        rows, alpha = list[dict[str, object]](), None
        without = {
            name: int((~np.isnan(fitted.parameters[name])).sum())
            for name in schemes.without(fitted.scheme.name, fitted.scheme.settings())
        }
        for own in self._checks_against_statsmodels(judged.keys()):
            quantity, values = own.quantity, own.quantity.values
            found = judged.get(quantity.name, Judged(np.full(values.shape, np.nan), ""))
            theirs = replace(quantity, values=np.reshape(found.values, values.shape))
            alone = ~np.isnan(values) & np.isnan(theirs.values)
            if alone.any():
                without[quantity.name] = int(alone.sum()) + without.get(quantity.name, 0)
            ours = replace(quantity, values=np.where(alone, np.nan, values))
            row = compared(ours, theirs, own.tolerance, own.terms, own.alpha)
            if row["count"] or row["max_abs"]:
                rows.append({**row, "statsmodels": row["r"], "by": found.by})
                alpha = own.alpha if row["count"] and alpha is None else alpha
        if not rows:
            reasons = ["there is no number to compare", *self.standardized.notes]
            raise VerificationError("; ".join(reasons))
        there = {str(row["quantity"]) for row in rows if row["count"]}
        self._check_compared(there, without, judged.keys())
        table = pd.DataFrame(rows).drop(columns="r")
        versions = f"statsmodels {statsmodels.__version__} and SciPy {scipy.__version__}"
        of_draws = (note for part in self.parts for note in part.notes_on_draws)
        notes = [*self.notes, *(note.replace("R tests", "the judge tests", 1) for note in of_draws)]
        table.attrs |= {"judge": versions, "without": without, "notes": notes}
        table.attrs |= {"alpha": alpha, "further": self._further}
        return table

    def _check_compared(
        self, there: set[str], without: Mapping[str, int], judged: Set[str]
    ) -> None:
        """Raise `VerificationError` for a part of the analysis of which no number is compared."""
        asked = {
            f"the {part.told}": {own.quantity.name for own in part.numbers} for part in self.parts
        }
        scheme = self.standardized.factors.fitted.scheme
        for told, names in asked.items() or [(f"the scheme {scheme}", {"standardized score"})]:
            if not names & there and names & without.keys():
                here = " for these scores" if names & judged else ""
                raise VerificationError(
                    f"no number of {told} has a counterpart in statsmodels, SciPy or NumPy{here}; "
                    "expected R as the judge, against=r"
                )

    def _scores_by_scipy(self) -> dict[str, Judged]:
        """Return the standardized scores by SciPy, and the means of those of Python."""
        from cdfscore.stats.judge import schemes

        found, how = self.standardized, self.standardized.factors
        means = means_of(found.frame.to_numpy())
        judged = {"system mean": Judged(means, "Python: math.fsum")}
        scheme, y = how.fitted.scheme, np.full(found.frame.shape, np.nan)
        if scheme.name not in schemes.SCHEMES:
            return judged
        given = ScoreMatrix.of(self.reference)
        settings = (how.missing, how.lower_is_better, how.reflect_at)
        matrix = policies.settled(given, "the reference", *settings)
        reference = dict(zip(matrix.topics, matrix.values, strict=True))
        fits = {topic: row for row, topic in enumerate(how.topics)}
        for row, (topic, x) in enumerate(zip(found.used.topics, found.used.values, strict=True)):
            if topic in reference and topic in fits:
                parameters = how.fitted.parameters.items()
                own = {name: float(each[fits[topic], 0]) for name, each in parameters}
                known = reference[topic]
                y[row] = schemes.standardized(scheme.name, scheme.settings(), x, known, own)
        return {"standardized score": Judged(y, schemes.SCHEMES[scheme.name].by), **judged}

    @cached_property
    def _checks(self) -> list[Checked]:
        found = self.standardized
        y, means = found.scores, found.means["mean"].to_numpy()
        scheme, systems, values = found.factors.fitted.scheme, list(y.columns), y.to_numpy()
        tolerance = scheme.tolerance
        present = ~np.isnan(values)
        terms = np.where(present, np.abs(values), 0).sum(0) / np.fmax(present.sum(0), 1)
        # Means of which R breaks a tie; a tolerance of the scores allows for that already.
        tied = found.has_exact_means and not tolerance.ulp
        of_means = tolerance.of_means(counted=scheme.counts or tied)
        return [
            Checked(
                Quantity("standardized score", list(found.used.topics), systems, values), tolerance
            ),
            Checked(
                Quantity("system mean", [""], systems, means[np.newaxis]),
                of_means,
                terms[np.newaxis],
            ),
            *(own for each in self.parts for own in each.checks(tolerance)),
        ]

    def _checks_against_statsmodels(self, judged: Set[str]) -> list[Checked]:
        """The numbers as for R; those of a test do not wait for the scores, which are the same."""
        from cdfscore.stats.judge.schemes import SCHEMES

        fitted, y = self.standardized.factors.fitted, self.standardized.frame.to_numpy()
        allowed = _OF_ZERO
        if fitted.scheme.name in SCHEMES and fitted.parameters:
            apart = SCHEMES[fitted.scheme.name].apart
            allowed = Tolerance.absolute(apart, f"two algorithms; {apart:g} of a score")
        x = np.where(np.isnan(y), np.nan, self.standardized.used.values)
        # In standard deviations, as y may be, last digits of scores far from 0 count as much.
        size = np.fmax(1.0, np.ptp(np.nan_to_num(y), axis=1, keepdims=True) / 4)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of topics without a score
            largest = np.nanmax(np.abs(x), axis=1, keepdims=True)
            parts = np.nan_to_num(1 / np.nanstd(x / largest, axis=1, keepdims=True), posinf=0.0)
        digits = np.broadcast_to(size * parts * 2.0**-52, x.shape)
        scores, means = self._checks[:2]
        found = [
            replace(scores, tolerance=allowed, terms=terms_of_bound(digits, allowed)),
            replace(means, tolerance=_OF_MEANS),
        ]
        of_scores = 0.0
        for part in self.parts:
            checks = part.checks(None)
            values = {own.quantity.name: own.quantity.values for own in checks}
            values["system mean"] = means.quantity.values
            # Where terms cancel: an estimate is a difference of means, a statistic of deviations.
            size, span = part.sizes(y)
            with np.errstate(all="ignore"):  # what all scores share is subtracted first
                largest, far = np.fmin(size, 8 * span), np.fmin(size / span / _LAST_DIGITS, 16.0)
            of_scores = max(of_scores, float(np.max(largest)))
            cancelled: dict[str, Any] = {
                **dict.fromkeys(("estimate", "coefficient", "mean", "difference"), largest),
                **dict.fromkeys(("statistic", "t", "F"), np.fmax(1.0, far * math.sqrt(len(y)))),
                "effect size": np.fmax(1.0, far),
            }
            two = [values[each] for each in ("statistic", "estimate") if each in values]
            if len(two) == 2 and np.allclose(two[0], two[1], 1e-6, 0, equal_nan=True):
                cancelled["statistic"] = largest
            for own in checks:
                allowed, name = own.tolerance, own.quantity.name.rpartition(": ")[2]
                terms = np.zeros_like(own.quantity.values) if own.terms is None else own.terms
                if name == "second system mean":
                    allowed = _OF_MEANS
                elif centre := _CENTRES.get(re.sub(" (low|high)$", "", own.quantity.name)):
                    of_margins = _of_margins(own.quantity.values, values[centre])
                    allowed, terms = _OF_ENDS, np.fmax(of_margins, cancelled.get(centre, 0.0))
                elif allowed.ulp:  # the reasons are those of R
                    is_tail = allowed.ulp <= _TAILS or name == "p by tukey"
                    ulp = min(allowed.ulp, _TAILS if is_tail else _SEARCHED)
                    terms = np.fmax(terms, cancelled.get(name, 0.0))
                    floor, size = allowed.floor if is_tail else 0.0, np.abs(own.quantity.values)
                    widened = np.where(terms > 2 * size, terms, floor).max(initial=0.0)
                    stated = f"two algorithms; {ulp * 2.0**-52:.0e} of the number"
                    stated += f", or of up to {widened:.3g} if it is smaller" if widened else ""
                    allowed = Tolerance(ulp, stated, floor)
                found.append(replace(own, tolerance=allowed, terms=terms))
        known = {own.quantity.name.replace(" ", "_"): own.quantity.values for own in found}
        return [*found, *self._others(known, judged, of_scores)]

    def _others(
        self, known: Mapping[str, Array], judged: Set[str], size: float
    ) -> Iterator[Checked]:
        """Yield the numbers of the tables of the result that are not those of a known quantity.

        A column that is judged by its own name is yielded as a whole. `size` is that of the scores.
        """
        import pandas as pd

        tables = dict[str, pd.DataFrame]()
        for name in getattr(self.result, "__dataclass_fields__", ()):
            value = getattr(self.result, name)
            for each in value.values() if isinstance(value, dict) else [value]:
                if isinstance(each, float):
                    tables[name] = pd.DataFrame({"": [each]})
                elif isinstance(each, pd.DataFrame):
                    tables[name] = each
        if not self.parts:  # the scores themselves
            return
        names = {f"means: {self.standardized.factors.fitted.scheme}": "system mean"}
        for part in self.parts:
            tables, names = {**tables, **part.tables}, {**names, **part.shown}
        shown = {column.replace("_", " "): name for column, name in names.items()}
        for title, table in tables.items():
            centre = next((table[each] for each in ("estimate", "mean") if each in table), np.nan)
            for column, own in table.select_dtypes("number").astype(np.float64).items():
                name = f"{title}: {column}".removesuffix(": ").replace("_", " ")
                values = own.to_numpy()
                terms, allowed = np.zeros_like(values), _OF_OTHERS
                if str(column).endswith(("_low", "_high")):
                    allowed = _OF_ENDS
                    terms = np.fmax(_of_margins(values, np.asarray(centre)), 16 * size)
                elif column == "mean_square" and "sum_of_squares" in table:  # less those of others
                    terms = (table["sum_of_squares"].sum() / table["df"]).to_numpy()
                if name in _SETTINGS:
                    continue
                if name not in judged:
                    quantity = shown.get(name, str(column))
                    there = np.isin(values, known.get(quantity.replace(" ", "_"), np.nan))
                    values = np.where(there, np.nan, values)
                yield Checked.row(name, list(map(str, table.index)), values, allowed, terms)

    def _compared(self, theirs: AnalysisInR, published: Published | None) -> pd.DataFrame:
        import pandas as pd

        undefined = "".join(each.undefined for each in self.parts)
        if theirs.stopped and not undefined:
            raise VerificationError(f"R stops: {theirs.stopped}")
        checks = self._checks
        names = [own.quantity.name for own in checks]
        in_r = [each.name for each in theirs.quantities]
        if names != in_r:
            raise VerificationError(
                f"R has the quantities {', '.join(in_r)}; expected {', '.join(names)}"
            )
        rows: list[dict[str, object]] = []
        for own, r in zip(checks, theirs.quantities, strict=True):
            try:
                rows.append(compared(own.quantity, r, own.tolerance, own.terms, own.alpha))
            except VerificationError as error:  # other topics, as R stops on some
                raise VerificationError("; ".join([str(error), *theirs.notes])) from error
        # A test that has no number on either side has a row of 0 p values, which agree.
        shown = [row for row in rows if row["count"] or row["max_abs"]]
        if undefined:
            shown += [row for row in rows if row["quantity"] == "p value" and row not in shown]
        if not shown:
            reasons = [*self.standardized.notes, *theirs.notes]
            raise VerificationError("; ".join(["there is no number to compare", *reasons]))
        scheme = str(self.standardized.factors.fitted.scheme)
        found = differences_of(published, theirs.published, self.facts, scheme)
        table = pd.DataFrame(shown + found[0])
        table.attrs["published"], table.attrs["notes_on_tables"] = found[1:]
        table.attrs["r_version"] = table.attrs["judge"] = theirs.version
        table.attrs |= {"alpha": self._alpha, "further": self._further}
        said = sorted(self.parts, key=lambda each: each.is_test)
        notes = [note for each in said for note in each.notes_on(theirs)]
        table.attrs["notes_on_r"] = [*notes, *theirs.notes]
        table.attrs["notes"] = [*self.notes, *table.attrs["notes_on_r"]]
        return table

    @property
    def _alpha(self) -> float | None:
        return next((own.alpha for own in self._checks if own.alpha is not None), None)

    @property
    def _further(self) -> list[str]:
        parts = [each for each in self.parts if not each.is_test]
        return [own.quantity.name for each in parts for own in each.numbers]

    @property
    def notes(self) -> list[str]:
        """The notes on the standardized scores, and what of the parts is of other packages."""
        found = list(self.standardized.notes)
        for own in self.parts:
            found += own.traces
        return found

    @property
    def facts(self) -> dict[str, object]:
        """What a result in JSON states of its analysis besides numbers and options."""
        found, topics = self.standardized, len(self.standardized.topics_with_scores)
        facts: dict[str, object] = {
            "topics": topics,
            "topics_by_scheme": topics,
            "scores": int(found.scores.notna().to_numpy().sum()),
            "systems": list(found.scores.columns),
            "reversals": found.reversal,
            "fitted_to": found.fitted_to,
            "reference": reference_of(found) or None,
        }
        for each in self.parts:
            facts |= each.facts
        return facts


def _of_margins(ends: Array, centre: Array) -> Array:
    """Return terms that allow ends of intervals to be apart by `_TAILS` ulp of their margins."""
    margin = np.nan_to_num(np.abs(ends - centre), posinf=0.0)
    return np.asarray(margin * _TAILS / _OF_ENDS.ulp)


def means_of(scores: Array) -> Array:
    """Return the mean of each column, without missing scores, added with one rounding."""
    columns = [each[~np.isnan(each)] for each in scores.T]
    return np.array([math.fsum(each) / len(each) if len(each) else np.nan for each in columns])


def _check_tolerance(scheme: Scheme) -> None:
    stated: object = scheme.tolerance
    if not isinstance(stated, Tolerance):
        raise SchemeError(
            f"{whose(scheme)}: tolerance is {stated!r}; expected one such as Tolerance(16, 'two "
            "solvers'), of cdfscore.stats.numerics.tolerance"
        )
    if stated.fault:
        raise SchemeError(f"{whose(scheme)}: the tolerance: {stated.fault}")


def _check_reference(factors: Factors, reference: pd.DataFrame) -> None:
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
            "these scores by reference=..."
        )
    if factors.missing != factors.fitted_missing and matrix.missing():
        raise CdfscoreError(
            f"{factors!r} were fitted under missing={factors.fitted_missing!r}, and R would fit "
            f"again under missing={factors.missing!r}; expected the policy of the fit, since the "
            "reference has missing scores"
        )
