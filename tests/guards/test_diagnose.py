"""What a diagnosis must not let anyone misread: dashes, too few scores, too few resamples."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import CdfscoreWarning, diagnose, read_scores
from cdfscore.diagnosis.diagnosis import Draws, can_pass, detected, resamples_to_pass
from cdfscore.stats.schemes.base import scheme_label

EMPIRICAL = "empirical:convention=weak"


@pytest.fixture(scope="module")
def adhoc3(shared_data: Path) -> pd.DataFrame:
    return read_scores(shared_data / "gt4ireval" / "adhoc3.csv", topic_column=False)


@pytest.mark.clause("log_score.1")
def test_steps_are_not_compared_with_densities_by_log_score(adhoc3: pd.DataFrame) -> None:
    found = diagnose(adhoc3, ["normal", "kernel", "empirical"], bootstrap=0)
    summary = found.summary.set_index("scheme")
    assert summary.loc[EMPIRICAL, "log_score_wins"] is pd.NA
    assert summary.loc[EMPIRICAL, ["log_score", "log_score_common"]].isna().all()
    assert summary["log_score_wins"].sum() == 50  # of the others
    assert summary["crps_wins"].sum() >= 50
    assert summary["crps_rank"].tolist() == [3, 1, 2]
    text = " ".join(found.verdict)
    assert "not compared by log score: its steps give probability 0 to a score that no" in text
    assert "Of 2 distributions kernel" in text
    # E-std would lose by the logarithm of 0 in most scores, and is near kernel by CRPS.
    logs = found.fits.groupby("scheme")["log_score"].mean()
    assert logs[EMPIRICAL] < 3 * logs["normal"]
    assert summary.loc[EMPIRICAL, "crps_above"] < 0.01 * summary.loc[EMPIRICAL, "crps_common"]


@pytest.mark.clause("crps.3")
def test_ranks_are_by_crps_and_paired(adhoc3: pd.DataFrame) -> None:
    found = diagnose(adhoc3, ["normal", "uniform", "empirical"], bootstrap=0, alpha=0.1)
    table = found.fits.pivot(index="topic", columns="scheme", values="crps")
    summary = found.summary.set_index("scheme")
    best = summary["crps_rank"].idxmin()
    assert best == table.mean().idxmin()
    assert np.isnan(summary.loc[best, "crps_above"])
    for scheme in table.columns.drop(best):
        d = table[scheme] - table[best]
        margin = 1.6765508926168537 * d.std() / np.sqrt(50)  # qt(0.95, 49)
        ends = summary.loc[scheme, ["crps_above_low", "crps_above_high"]].tolist()
        assert ends == pytest.approx([d.mean() - margin, d.mean() + margin], rel=1e-9)
    (said,) = (each for each in found.verdict if each.startswith("By CRPS"))
    others = said.partition("the others are higher: ")[2].partition(". CRPS has the unit of")[0]
    above = summary["crps_above"].sort_values().dropna().rename(index=scheme_label)
    assert re.findall(r"(?:^|, )(\S+) by (\S+)", others) == [
        (scheme, f"{number:.3g}") for scheme, number in above.items()
    ]
    assert any("The 90% intervals are paired by topic" in each for each in found.verdict)


@pytest.mark.clause("crps.4")
def test_steps_have_an_advantage_on_a_grid(shared_data: Path, adhoc3: pd.DataFrame) -> None:
    scores = read_scores(shared_data / "web" / "web2012_p20.csv")
    found = diagnose(scores, ["normal", "empirical"], bootstrap=0)
    assert "the CRPS of a smooth curve is about 0.00042 higher" in " ".join(found.verdict)
    assert any(note.startswith("scores are on a coarse grid") for note in found.notes)
    for schemes, table in ((["normal", "kernel"], scores), (["normal", "empirical"], adhoc3)):
        text = " ".join(diagnose(table, schemes, bootstrap=0).verdict)
        assert "By CRPS" in text
        assert "coarse grid" not in text


@pytest.mark.clause("fit_p_value.3")
def test_few_systems_are_not_acquitted(cdfscore, adhoc3, tmp_path) -> None:
    few = adhoc3.iloc[:30, :5]
    with pytest.warns(CdfscoreWarning, match="30 topics of 30 have 5 scores, fewer than 10"):
        found = diagnose(few, ["normal"], bootstrap=199)
    text = " ".join(found.verdict)
    assert "rejected in 0" not in text
    assert found.verdict[0].startswith("30 topics of 30 have 5 scores")
    assert "is 0.17 at 0.05, and 0.02 after Holm's correction" in text
    assert found.summary["ad_rejected"].tolist() == [pd.NA]
    few.to_csv(tmp_path / "few.csv", index_label="topic")
    done = cdfscore("diagnose", "few.csv", "--scheme", "normal", "--bootstrap", "199")
    assert done.status == 0
    assert "rejected in 0" not in done.out
    assert "fewer than 10: so few scores can hardly distinguish" in " ".join(done.err.split())


@pytest.mark.clause("fit_p_value.3")
def test_two_scores_reject_nothing() -> None:
    assert detected(2, 0.05) == 0
    assert detected(3, 0.05) < detected(9, 0.05) < detected(40, 0.05)
    assert detected(20, 0.05) == pytest.approx(0.773, abs=0.02)  # Stephens (1974): 77 %


def test_a_rejection_by_few_scores_is_counted() -> None:
    rng = np.random.default_rng(8)
    values = np.round(rng.random((6, 9)) ** 8, 4)
    table = pd.DataFrame(values, [f"t{k}" for k in range(6)], [f"s{k}" for k in range(9)])
    found = diagnose(table, ["normal"], bootstrap=199)
    assert found.summary["ad_rejected"].iloc[0] > 0
    assert "rejected in " in " ".join(found.verdict)


@pytest.mark.clause("crps.3")
def test_one_topic_has_no_interval_of_differences(adhoc3) -> None:
    summary = diagnose(adhoc3.iloc[:1], ["normal", "uniform"], bootstrap=0).summary
    above = ["crps_above", "crps_above_low", "crps_above_high"]
    assert summary["crps_common"].nunique() == 2
    assert summary[above].isna().all(axis=None)


def test_the_least_p_value_follows_from_the_most_resamples(adhoc3) -> None:
    with pytest.warns(CdfscoreWarning, match="no distribution can be rejected"):
        found = diagnose(adhoc3, ["normal"], bootstrap=9, most=9)
    assert "the smallest possible p value is 0.1, and 1 after Holm's" in found.verdict[0]


@pytest.mark.clause("fit_p_value.2", "verdict.1")
def test_too_few_resamples_are_told_first(cdfscore, adhoc3, tmp_path) -> None:
    with pytest.warns(CdfscoreWarning, match="no distribution can be rejected"):
        found = diagnose(adhoc3, ["normal", "uniform"], bootstrap=99, most=99)
    first = found.verdict[0]
    assert first.startswith("No distribution can be rejected, whatever the scores are")
    assert (
        "the smallest possible p value is 0.01, and 0.5 after Holm's correction over 50 topics"
        in first
    )
    assert "rejection at 0.05 needs a maximum of 999 or more, or no maximum" in first
    assert found.notes[0] == first[0].lower() + first[1:-1]
    assert found.summary["ad_rejected"].tolist() == [pd.NA, pd.NA]
    assert "rejected in 0" not in " ".join(found.verdict)
    adhoc3.to_csv(tmp_path / "s.csv", index_label="topic")
    few = ("--bootstrap", "99", "--most", "99")
    done = cdfscore("diagnose", "s.csv", "--scheme", "normal", *few)
    assert done.status == 0
    assert "no distribution can be rejected" in done.err


@pytest.mark.clause("fit_p_value.2")
def test_the_number_it_names_is_enough(adhoc3: pd.DataFrame) -> None:
    wrong = pd.DataFrame(adhoc3.to_numpy() ** 6).rename(index="t{}".format, columns="s{}".format)
    wrong = (wrong * 1e6).round()
    enough = diagnose(wrong, ["normal"], bootstrap=99, most=999)
    assert enough.summary["ad_rejected"].iloc[0] > 40
    assert enough.notes == ()
    assert not can_pass(50, Draws(99, 998, 1), 0.05)
    assert can_pass(50, Draws(99, 999, 1), 0.05)
    assert resamples_to_pass(1, 0.05) == 19


@pytest.mark.clause("pit.3")
def test_the_histogram_has_its_band(adhoc3: pd.DataFrame) -> None:
    found = diagnose(adhoc3, ["normal", "empirical"], bootstrap=0)
    normal, empirical = (own for _, own in found.histogram.groupby("scheme", sort=False))
    # qbinom(c(0.025, 0.975), 2000, 1 / 10)
    assert normal["band_low"].tolist() == [174 / 2000] * 10
    assert normal["band_high"].tolist() == [227 / 2000] * 10
    # Ranks of scores among each other are flat whatever they are: that is no fit.
    assert empirical[["band_low", "band_high"]].isna().all(axis=None)
    assert empirical["proportion"].to_numpy() == pytest.approx(1 / 10, rel=1e-9)


def test_the_plot_shows_the_band_and_says_what_it_is(adhoc3: pd.DataFrame) -> None:
    figure = diagnose(adhoc3, ["normal", "empirical"], bootstrap=0).plot()
    assert [len(axes.patches) for axes in figure.axes] == [11, 10]
    normal, empirical = (" ".join(axes.get_xlabel().split()) for axes in figure.axes)
    assert "95% range of each bin" in normal
    assert "with 40 scores the end bins are 7% higher if N-std is right" in normal
    assert "no band: the fit follows the scores" in empirical
