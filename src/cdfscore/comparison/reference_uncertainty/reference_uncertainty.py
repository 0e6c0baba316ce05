"""Standard errors of standardized means from the topics, the reference systems, and both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import each_once, warn_of
from cdfscore.comparison.choices import check_different
from cdfscore.comparison.notes import joined
from cdfscore.comparison.pairs import Family, baseline_names
from cdfscore.comparison.reference_uncertainty import notes
from cdfscore.comparison.reference_uncertainty.of_scheme import Bar, variances_of
from cdfscore.comparison.reference_uncertainty.refits import Refits
from cdfscore.comparison.reference_uncertainty.resampling import Progress, Resampling
from cdfscore.comparison.reference_uncertainty.result import ReferenceUncertainty
from cdfscore.errors import SignificanceError
from cdfscore.io.scores.kinds import both_as_pandas
from cdfscore.numerics.numbers import between_0_and_1
from cdfscore.significance.resampling import bootstrap
from cdfscore.spelling import option
from cdfscore.standardization.factors import ExtraTopics
from cdfscore.standardization.standardized import Standardized
from cdfscore.standardization.standardizer import How, check_extra_of, standardize

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

#: The R twin.
TWIN = Path(__file__).with_suffix(".R")


def reference_uncertainty(
    scores: IntoFrame,
    scheme: How | Sequence[How],
    *,
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
    baselines: str | Sequence[str] = (),
    resamples: int = 999,
    seed: int = 0,
    conf_level: float = 0.95,
    progress: Progress | None = None,
) -> ReferenceUncertainty:
    """Estimate the uncertainty of standardized means from topics, reference systems, and both.

    Factors are estimates: other reference systems give other factors. The mean of a system, and
    the difference of two means, vary with the topics and with the reference systems. Resample b of
    the n reference systems gives scores y_b = F_tb(x) on T topics, with mean m_b and standard
    deviation s_b:

        V_topics    = s^2 / T, by the factors of all reference systems
        V_reference = var_b(m_b)
        V_both      = var_b(m_b) + mean_b(s_b^2 / T)

    The standard errors are the roots, and the share of the reference systems is V_reference /
    V_both. V_both is the variance of a bootstrap that draws topics and reference systems
    independently, each with replacement (the pigeonhole bootstrap; its part from the topics is in
    closed form, with T - 1 in place of T). The interval is mean -+ t sqrt(V_both), with Student's t
    of 1 / (share^2 / (k - 1) + (1 - share)^2 / (T - 1)) degrees of freedom, by Satterthwaite, for
    the k reference systems that are resampled.

    A resample draws whole systems, with their scores on all topics. Compared systems may be
    reference systems themselves; without a `reference` all of them are. For each mean or
    difference, its own systems stay in the reference once, and the other systems are resampled. To
    do so, the function uses those resamples of all systems that have them once: about 37 % for a
    mean and 14 % for a difference. A resample that has one of them twice or not at all answers
    another question: by E-std, a system that is twice in the reference has a score larger by 1/n
    on all topics. A compared system is a reference system if name and scores are equal; a caution
    tells if only one of the two is.

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind; the tables of the result are of pandas.
    scheme
        One or several schemes. The policies of a `Standardizer` hold in each resample; the notes
        count the topics that are constant or unfitted there. "raw" fits nothing, and its standard
        error from the reference systems is 0.
    reference
        The scores of the reference systems; `scores` itself if not given.
    extra_topics, baselines
        As for `cdfscore.compare`.
    resamples
        The number of random resamples, 200 or more. For up to 7 reference systems, all n^n
        resamples are used instead, and the standard errors are exact.
    seed
        The seed of the random resamples. Resample k depends on the seed and k alone.
    conf_level
        The level of the intervals, of each mean and difference separately.
    progress
        Function that is called with the number of resamples done, and of all.

    Raises
    ------
    SignificanceError
        For fewer than three reference systems to resample, for `Factors`, which do not have the
        scores of the reference systems, for schemes for none of which anything is fitted, and for
        numbers that are not accepted.
    ScoresError
        For fewer than two systems, and for a score that is infinite by a resample, as by z where
        the resampled scores of a topic are all equal.
    CdfscoreError
        For input that `compare` refuses, and where a scheme cannot be fitted to a resample, unless
        a `Standardizer` has a policy for unfitted topics.

    Notes
    -----
    Sources: Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1, for resampling
    of two crossed sets; McCullagh (2000), Resampling and exchangeable arrays, Bernoulli 6: no
    bootstrap of such data is exact. This one is conservative, except for means with few reference
    systems.
    With variances A of topics, B of reference systems and E of what is neither, the variance of a
    mean is A/T + B/n + E/(T n). V_topics and V_reference have E/(T n) once each, and V_both has it
    thrice. V_reference is too small by (n - 1) / n, as the bootstrap variance of every mean is
    (Efron and Tibshirani, 1993, equation 5.12). Satterthwaite (1946), Biometrics Bulletin 2, for
    the degrees of freedom. A bootstrap of the lowest or highest of n scores is not consistent
    (Bickel and Freedman, 1981, Annals of Statistics 9), and schemes that rest on them, such as
    minmax, have a caution.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.comparison import reference_uncertainty
    >>> ap = datasets.load_cranfield("ap")
    >>> new, others = ap[["bm25_k1.2_b0.75", "tfidf"]], ap.iloc[:, 20:32]
    >>> found = reference_uncertainty(new, "normal", reference=others, resamples=200)
    >>> columns = ["difference", "stderr_topics", "stderr_reference", "stderr_both"]
    >>> found.pairs[columns].round(3)
       difference  stderr_topics  stderr_reference  stderr_both
    0       0.053          0.018             0.008         0.02
    """
    level = between_0_and_1("conf_level", conf_level, SignificanceError)
    resampling = Resampling.of("resamples", resamples, seed, progress)
    asked = [scheme] if isinstance(scheme, str) or not isinstance(scheme, Sequence) else scheme
    check_different(asked)
    check_extra_of(asked, reference, extra_topics)
    names = baseline_names(baselines)
    frame, fitted_on = both_as_pandas(scores, reference)
    with each_once():
        found = [standardize(frame, how, fitted_on, extra_topics) for how in asked]
        family = Family.of(list(found[0].scores.columns), names)
        uncertainty = uncertainty_of(found, family, resampling, level)
        warn_of(uncertainty.cautions)
    return uncertainty


def first_fitted(refits: Mapping[str, Refits]) -> Refits:
    """Return the first scheme by which something is fitted; `SignificanceError` if none is."""
    for each in refits.values():
        if each.factors.fitted.parameters:
            return each
    raise SignificanceError(
        f"nothing is fitted to reference systems for {', '.join(refits)}; expected "
        f"{option('scheme')} with a scheme such as normal"
    )


def uncertainty_of(
    standardized: Sequence[Standardized],
    family: Family,
    resampling: Resampling,
    conf_level: float,
) -> ReferenceUncertainty:
    """Return the uncertainty of a family of pairs by each scheme, after the checks."""
    import pandas as pd

    refits = {str(found.factors.fitted.scheme): Refits.of(found) for found in standardized}
    fitted = first_fitted(refits)
    drawn = bootstrap.resamples(fitted.systems, resampling.resamples, resampling.seed)
    means, pairs, fewest = [], [], drawn.total
    of_schemes: dict[str, list[str]] = {}
    cautions: dict[str, list[str]] = {}
    for place, (found, (name, own)) in enumerate(zip(standardized, refits.items(), strict=True)):
        bar = Bar(resampling.progress, place, len(refits))
        of_means, of_pairs, of_schemes[name], _ = variances_of(found, own, family, drawn, bar)
        parts = [each.columns(drawn.exact, conf_level) for each in (of_means, of_pairs)]
        systems = {"scheme": name, "system": family.systems, "n": of_means.given.n}
        mean = found.means["mean"].to_numpy()
        means.append(pd.DataFrame({**systems, "mean": mean, **parts[0]}))
        both = dict(zip(("system_a", "system_b"), family.names, strict=True))
        difference = {"n": of_pairs.given.n, "difference": of_pairs.given.mean}
        pairs.append(pd.DataFrame({"scheme": name, **both, **difference, **parts[1]}))
        apart = of_pairs.apart_by_topics(conf_level)
        still = apart & ((parts[1]["both_low"] > 0) | (parts[1]["both_high"] < 0))
        of_schemes[name] += notes.of_differences(
            int(apart.sum()), int(still.sum()), len(family), conf_level
        )
        cautions[name] = notes.caution_on_extremes(own.factors.fitted.scheme)
        with_error = ~np.isnan(parts[1]["stderr_reference"])
        fewest = min(fewest, float(of_pairs.weight[with_error].min(initial=np.inf)))
    on_names = notes.cautions_on_names(fitted.namesakes, fitted.renamed, len(fitted.places))
    first = [*on_names, *joined(cautions)]
    members = int(np.count_nonzero(fitted.places >= 0))
    return ReferenceUncertainty(
        pd.concat(means, ignore_index=True),
        pd.concat(pairs, ignore_index=True),
        drawn.method if drawn.exact else f"{drawn.method}, {notes.monte_carlo(fewest)}",
        fitted.systems,
        members,
        conf_level,
        [*first, *notes.on_the_reference(members, len(fitted.places)), *joined(of_schemes)],
        first,
    )
