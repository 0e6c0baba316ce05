"""Result of a diagnosis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cdfscore.diagnosis.resolution import Resolution
from cdfscore.diagnosis.settings import Draws
from cdfscore.io.text import counted
from cdfscore.showing import Shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Shown):
    """Result of `diagnose`.

    `fits` has one row for each scheme and topic, in this order, with the columns

    - topic, scheme, n (scores that are not missing), fitted, constant (all scores are equal, or
      there are fewer than two, so that nothing is fitted), reason (why it was not fitted, or why
      a number is missing), parameters (written ``mean=0.25,sd=0.1``);
    - reliability: the correlation of the topic's scores with the means of the systems over the
      other topics, the same for all schemes; see `cdfscore.diagnosis.topic_reliability`;
    - censored_at_0, censored_at_1: numbers of scores below and above the fitted distribution, as
      those of U-std beyond the ends;
    - for each statistic ks, ad, cvm: itself; its p value ``ks_p`` by parametric bootstrap, and
      the p value's Monte Carlo standard error ``ks_p_stderr``; ``ks_p_holm``, corrected over
      the topics of the scheme;
    - log_likelihood, aic, bic: of the scores as written, NaN for aic and bic where the
      parameters of a scheme are not counted; log_score: the mean log probability of each score
      under the fit to the others, higher is better; all in nats;
    - crps: the mean continuous ranked probability score of each score under the fit to the
      others, lower is better; in the unit of the scores; see `cdfscore.diagnosis.crps.crps`;
    - floored and floored_left_out: numbers of scores whose probability is below 2^-53 and was
      replaced by 2^-53, in log_likelihood and in log_score; resamples, resamples_unfitted:
      bootstrap samples that were fitted, and that could not be fitted.

    `histogram` is the probability integral transform of the left-out scores of all topics. It
    has one row for each scheme and bin: the ends low and high; count (not whole, since a score on
    a grid is spread over bins); proportion; expected, the proportion under a perfect fit; and
    band_low and band_high, the limits of 95 % of proportions of a bin under a perfect fit with
    independent scores; see `cdfscore.diagnosis.histogram.sampling_band`.

    `summary` has one row for each scheme. A count is missing (NA) if it is not defined: rejections
    of a scheme that was not tested or could not have been rejected, and wins of a scheme that was
    not compared. The columns are

    - topics, fitted, unfitted (but not constant), constant, tested: numbers of topics;
    - ks_rejected, ad_rejected, cvm_rejected: tested topics with a corrected p value of at most
      alpha; NA if no p value could be so small with so few resamples, or if nothing is rejected
      and all topics have fewer than 10 scores;
    - crps_wins, log_score_wins, aic_wins, bic_wins: topics in which no scheme is better, of the
      topics in which two or more schemes have the number; equal schemes all win, but none wins if
      all are equal; aic_near: topics in which AIC is at most 2 above the best, which is no
      evidence against a scheme;
    - crps: the mean over the topics of the scheme; crps_common: the mean over the crps_topics, in
      which all schemes that have a CRPS anywhere have one; crps_rank: the rank by crps_common, 1
      for the best; crps_above: the mean difference from the best over these topics, with the
      interval crps_above_low to crps_above_high of level 1 - alpha by the paired t test;
    - log_score and log_score_common, over the common_topics: as crps, for the log score. They
      are NaN, and log_score_wins is NA, for step functions such as empirical. These are not
      compared with densities by log score, since they give probability 0 to a score that no
      other system has;
    - pit_mean and pit_sd: mean and standard deviation of the transform, 1/2 and 0.2887 under a
      perfect fit.

    `verdict` states these results in sentences. The cautions come first, and are in `notes` too.

    Raises nothing itself; `diagnose` lists the errors.

    Examples
    --------
    >>> from cdfscore import datasets, diagnose
    >>> found = diagnose(datasets.load_cranfield("ap").iloc[:5], ["normal", "gamma"], bootstrap=0)
    >>> found.schemes, found.topics, found.summary["crps_rank"].tolist()
    (('normal', 'gamma'), 5, [1, 2])
    >>> print(found.verdict[0].partition(". ")[0])
    The scores of 5 topics are treated as rounded to 1e-06, because all are multiples of it
    """

    fits: pd.DataFrame
    histogram: pd.DataFrame
    summary: pd.DataFrame
    verdict: tuple[str, ...]
    schemes: tuple[str, ...]
    topics: int
    systems: int
    resolution: Resolution
    draws: Draws
    alpha: float
    missing: str
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        ranked = self.summary.sort_values("crps_rank", kind="stable")
        found = ", ".join(
            f"{scheme} {crps:.4f}"
            for scheme, crps in zip(ranked["scheme"], ranked["crps_common"], strict=True)
        )
        return f"<diagnosis of {counted(self.topics, 'topic')}; mean CRPS, lowest first: {found}>"
