"""Result of a diagnosis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.io.text import counted
from cdfscore.showing import Shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Shown):
    """Result of `diagnose`.

    `fits` has one row for each scheme and topic, in this order, with the columns

    - topic, scheme, n (scores that are not missing), fitted, constant (all scores are equal, or
      there is one or none, so that nothing is fitted), reason (why it was not fitted, or why a
      number is missing), parameters (spelled ``mean=0.25,sd=0.1``);
    - for each statistic ks, ad, cvm: itself; its p value ``ks_p`` by parametric bootstrap, and
      the p value's Monte Carlo standard error ``ks_p_stderr``; ``ks_p_holm``, corrected over
      the topics of the scheme;
    - log_likelihood, aic, bic: of the scores as written, NaN for aic and bic where the
      parameters of a scheme are not counted; log_score: the mean log probability of each score
      under the fit to the others, higher is better; all in nats;
    - crps: the mean continuous ranked probability score of each score under the fit to the
      others, lower is better; in the unit of the scores; see `cdfscore.diagnosis.crps.crps`;
    - floored and floored_left_out: scores whose probability was below 2^-53 and taken as that,
      in log_likelihood and in log_score; resamples, resamples_unfitted: bootstrap samples that
      were fitted and that could not be.

    `histogram` is the probability integral transform of the left-out scores of all topics: one
    row for each scheme and bin, with its ends low and high, count (not whole: a score on a grid
    is spread), proportion, expected, the proportion if all fits, and band_low and band_high,
    between which 95 % of proportions of a bin lie if all fits and scores are independent; see
    `cdfscore.diagnosis.histogram.sampling_band`.

    `summary` has one row for each scheme. A count is missing (NA), and not 0, where it could
    not be another: rejections of a scheme that was not tested or could not have been rejected,
    wins of one that was not compared. The columns are

    - topics, fitted, unfitted (but not constant), constant, tested: numbers
      of topics;
    - ks_rejected, ad_rejected, cvm_rejected: tested topics with a corrected p value of at most
      alpha; NA where no p value could be, for lack of resamples, and where there is none and all
      topics have fewer than 10 scores;
    - crps_wins, log_score_wins, aic_wins, bic_wins: topics in which no scheme is better, of
      those in which two or more have the number; equal ones win both, and none wins where all
      are equal; aic_near: topics in which AIC is at most 2 above the best, which is no evidence
      against a scheme;
    - crps: its mean over the scheme's own topics; crps_common: over the crps_topics, those in
      which all schemes that have one anywhere have one; crps_rank: by crps_common, the best 1;
      crps_above: the mean difference from the best over these topics, with the interval
      crps_above_low to crps_above_high of level 1 - alpha by the paired t test;
    - log_score and log_score_common, over the common_topics: as crps, for the log score. They
      are NaN, and log_score_wins is NA, for steps such as empirical, which are not compared with
      densities by it: steps give no probability to a score that no other system has, however
      near, and so lose by a number that stands for the logarithm of 0;
    - pit_mean and pit_sd: of the transform, 1/2 and 0.2887 if all fits.

    `verdict` states these results in sentences; what must be known before they are read comes
    first, and is in `notes` as well.
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
