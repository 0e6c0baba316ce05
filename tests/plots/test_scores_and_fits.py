"""Figures of scores and fits: what is drawn is what was computed."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection

from cdfscore import Standardized, Standardizer, datasets, diagnose, dkw_band
from cdfscore.errors import PlotError
from cdfscore.plots import (
    plot_dkw,
    plot_per_topic,
    plot_performance_profile,
    plot_pit,
    plot_scores,
    plot_topic_variance,
)

CRANFIELD = datasets.load_cranfield("ap")
AP = CRANFIELD.iloc[:12, :9]


def standardized(scores: pd.DataFrame, scheme: str = "normal", **policies: str) -> Standardized:
    return Standardizer(scheme, **policies).fit(scores, measure="AP").standardize(scores)  # type: ignore[arg-type]


def ticks(axes: Axes, which: str) -> list[str]:
    return [label.get_text() for label in getattr(axes, f"get_{which}ticklabels")()]


@pytest.mark.clause("plot_scores.1")
def test_the_heat_map_has_every_score_where_its_labels_say() -> None:
    scores = AP.copy()
    scores.iloc[3, 4] = scores.iloc[0, 1] = np.nan
    result = standardized(scores, missing="omit")
    axes = plot_scores(result)
    systems, topics = ticks(axes, "y"), ticks(axes, "x")
    assert systems == list(result.scores.mean().sort_values(kind="stable").index[::-1])
    assert topics == list(scores.mean(axis=1).sort_values(kind="stable").index)
    (image,) = axes.images
    expected = result.scores.loc[topics, systems].to_numpy().T
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), expected)
    assert image.origin == "upper"
    crosses = next(line for line in axes.lines if line.get_marker() == "x")
    places = {(topics[int(x)], systems[int(y)]) for x, y in crosses.get_xydata()}
    missing = scores.isna().stack()
    assert places == set(missing[missing].index)
    assert axes.get_title() == "9 systems on 12 topics\n2 missing scores (crosses)"


@pytest.mark.clause("plot_per_topic.1")
def test_a_box_for_each_of_few_topics() -> None:
    result = standardized(AP)
    axes = plot_per_topic(result)
    topics = ticks(axes, "x")
    assert topics == list(AP.mean(axis=1).sort_values(kind="stable").index)
    scores = result.scores.loc[topics].to_numpy()
    ends, quartiles = (
        np.array([path.vertices[:, 1] for path in each.get_paths()])
        for each in axes.collections
        if isinstance(each, LineCollection)
    )
    np.testing.assert_array_equal(ends, np.quantile(scores, [0, 1], axis=1).T)
    np.testing.assert_array_equal(quartiles, np.quantile(scores, [0.25, 0.75], axis=1).T)
    median, mean = (line.get_ydata() for line in axes.lines)
    np.testing.assert_array_equal(median, np.median(scores, axis=1))
    np.testing.assert_allclose(mean, scores.mean(axis=1))


@pytest.mark.clause("plot_per_topic.1")
def test_bands_over_many_topics_in_the_order_of_their_raw_means() -> None:
    result = standardized(CRANFIELD)
    axes = plot_per_topic(result)
    assert ticks(axes, "x") == []
    scores = result.scores.loc[CRANFIELD.mean(axis=1).sort_values(kind="stable").index].to_numpy()
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    np.testing.assert_array_equal(lines["median"], np.median(scores, axis=1))
    np.testing.assert_allclose(lines["mean"], scores.mean(axis=1))
    bands = [each for each in axes.collections if isinstance(each, PolyCollection)]
    for band, level in zip(bands, (0.0, 0.25), strict=True):
        drawn = set(band.get_paths()[0].vertices[:, 1])
        assert drawn >= set(np.quantile(scores, [level, 1 - level], axis=1).ravel())
    assert axes.get_ylabel().replace("\n", " ") == (
        "Average precision, standardized by N-std (higher is better)"
    )


@pytest.mark.clause("plot_per_topic.1")
def test_topics_without_a_finite_score_have_no_place() -> None:
    reference = AP.copy()
    reference.iloc[4] = 0.25
    nothing = standardized(reference, constant="nan")
    infinite = Standardizer("z").standardize(AP, reference)
    assert np.isinf(infinite.scores.iloc[4]).all()
    for result in (nothing, infinite):
        assert len(ticks(plot_per_topic(result), "x")) == 11
        assert AP.index[4] not in ticks(plot_per_topic(result), "x")
    assert plot_scores(nothing).get_title().endswith("\n9 missing scores (crosses)")
    axes = plot_scores(infinite)
    assert "missing" not in axes.get_title()
    image = axes.images[0].get_array()
    assert not np.ma.getmaskarray(image).any()
    finite = infinite.scores.drop(index=AP.index[4])
    assert (image.min(), image.max()) == (finite.min(axis=None), finite.max(axis=None))


@pytest.mark.long
@pytest.mark.clause("plot_dkw.1")
def test_the_band_is_around_the_empirical_cdf_of_the_topic_that_fits_worst() -> None:
    axes = plot_dkw(standardized(CRANFIELD))
    lines = {str(line.get_label()): line for line in axes.lines}
    x, fitted = lines["fitted, N-std"].get_data()
    distances = {
        topic: _distance(np.sort(row.to_numpy()), row.mean(), row.std())
        for topic, row in CRANFIELD.iterrows()
    }
    worst = max(distances, key=lambda topic: distances[topic])
    assert f"Topic {worst}, where the fit is worst of 225 topics" in axes.get_title()
    assert f"cdfs: {distances[worst]:.3f}" in axes.get_title()
    own = CRANFIELD.loc[worst].to_numpy()
    steps, empirical = lines["empirical, 67 systems"].get_data()
    np.testing.assert_allclose(empirical, [(own <= each).mean() for each in steps])
    from scipy.stats import norm

    np.testing.assert_allclose(fitted, norm.cdf(x, own.mean(), own.std(ddof=1)), atol=1e-12)
    (band,) = (each for each in axes.collections if isinstance(each, PolyCollection))
    drawn = np.unique(band.get_paths()[0].vertices[:, 1])
    np.testing.assert_allclose(drawn, np.unique(np.concatenate(dkw_band(own, steps))))


def _distance(x: np.ndarray, mean: float, sd: float) -> float:
    from scipy.stats import kstest, norm

    return float(kstest(x, norm(mean, sd).cdf).statistic)


@pytest.mark.clause("plot_dkw.1")
def test_a_topic_by_its_name() -> None:
    axes = plot_dkw(standardized(AP), topic="3")
    assert axes.get_title().startswith("Topic 3\n")
    scores = AP.copy()
    scores.loc["3", AP.columns[:4]] = np.nan
    axes = plot_dkw(standardized(scores, missing="omit"), topic="3")
    assert "empirical, 5 systems" in [str(line.get_label()) for line in axes.lines]
    axes = plot_dkw(Standardizer("normal", lower_is_better=True).standardize(AP), topic="3")
    assert axes.get_xlabel() == "Average precision, negated (higher is better)"


def test_a_figure_of_a_cdf_says_what_it_needs() -> None:
    with pytest.raises(
        PlotError, match=r"z is not a distribution, and .* or the figure 'standardized'"
    ):
        plot_dkw(standardized(AP, "z"))
    with pytest.raises(PlotError, match=r"no topic '333' with a fit.*12 topics, such as '1'"):
        plot_dkw(standardized(AP), topic="333")
    factors = dataclasses.replace(Standardizer("normal").fit(AP), digest=None)
    with pytest.raises(
        PlotError, match=r"do not contain the reference scores.* the figure 'mapping'"
    ):
        plot_dkw(factors.standardize(AP))


@pytest.mark.clause("plot_pit.1")
def test_a_histogram_of_each_scheme_with_its_band() -> None:
    found = diagnose(CRANFIELD.iloc[:20], ["normal", "empirical"], bootstrap=0)
    with pytest.raises(PlotError, match="has several schemes; expected one of normal, empirical"):
        plot_pit(found)
    with pytest.raises(PlotError, match="is not by 'kernel'; expected one of normal, empirical"):
        plot_pit(found, scheme="kernel")
    axes = plot_pit(found, scheme="normal")
    bins = found.histogram[found.histogram["scheme"] == "normal"]
    *bars, band = axes.patches
    np.testing.assert_allclose([bar.get_height() for bar in bars], bins["proportion"] * 10)
    box = band.get_extents().transformed(axes.transData.inverted())
    np.testing.assert_allclose([box.y0, box.y1], 10 * bins[["band_low", "band_high"]].iloc[0])
    assert axes.get_title() == "N-std"
    assert axes.get_xlabel().startswith("PIT of left-out scores, average precision\n")
    assert len(plot_pit(found, scheme="empirical").patches) == 10


@pytest.mark.parametrize(("systems", "told"), [(2, False), (3, True)])
def test_two_scores_have_no_normal_to_compare_the_ends_with(systems: int, told: bool) -> None:
    found = diagnose(CRANFIELD.iloc[:20, :systems], ["minmax"], bootstrap=0)
    caption = " ".join(plot_pit(found).get_xlabel().split())
    assert "gray: 95% range of each bin" in caption
    assert (f"with {systems} scores the end bins are" in caption) == told


@pytest.mark.clause("plot_performance_profile.1")
def test_profiles_are_shares_of_topics_with_a_binomial_band() -> None:
    from scipy.stats import binom

    result = standardized(AP, "normal")
    axes = plot_performance_profile(result)
    best = result.frame.mean().idxmax()
    (line,) = (line for line in axes.lines if line.get_label() == best)
    t, share = line.get_data()
    scores = result.frame[best].to_numpy()
    np.testing.assert_allclose(share, (scores[:, np.newaxis] >= t).mean(axis=0))
    (band,) = axes.collections
    own = band.get_paths()[0].vertices[:, 1]
    assert own.min() == binom.ppf(0.025, len(scores), share).min() / len(scores)
    assert len(axes.lines) == AP.shape[1]


@pytest.mark.clause("plot_topic_variance.1")
def test_variances_of_topics_are_cumulated() -> None:
    axes = plot_topic_variance(standardized(AP, "normal"))
    raw = axes.lines[0].get_ydata()
    variances = np.sort(AP.var(axis=1, ddof=0))[::-1]
    np.testing.assert_allclose(raw, np.append(0, np.cumsum(variances) / variances.sum()))
    assert len(axes.lines) == 3
    assert len(plot_topic_variance(standardized(AP, "raw")).lines) == 2


@pytest.mark.parametrize("topics", range(4, 40, 6))
def test_half_of_equal_variances_lies_in_half_of_the_topics(topics: int) -> None:
    """By E-std, of topics without ties all variances are equal; sums of them are rounded."""
    random = np.random.default_rng(topics)
    scores = pd.DataFrame(random.random((topics, 6)), columns=list("abcdef"))
    title = plot_topic_variance(standardized(scores, "empirical")).get_title()
    assert f"in {topics // 2} of {topics} topics by E-std" in title.replace("\n", " ")
