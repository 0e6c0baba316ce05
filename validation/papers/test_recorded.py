"""The numbers that the project keeps of the papers are those that the score files give."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.image import imread
from pandas.testing import assert_frame_equal

from cdfscore.experiments.papers import webber2008
from cdfscore.experiments.papers.urbano2019 import run as urbano2019
from tests.plots.pictures import of_this_matplotlib
from validation.papers import recorded_urbano2019, recorded_webber2008

#: What random partitions have no part in.
FIXED = ("figure2", "figure3", "figure3_quartiles", "figure7")
DRAWN = ("figure4", "figure5", "figure6", "randomized")


@pytest.fixture(scope="module")
def collections(shared_data: Path) -> webber2008.Collections:
    return webber2008.read_collections(shared_data)


def assert_kept(name: str, computed: pd.DataFrame) -> None:
    """Compare a table with the kept one; the last bits depend on the processor."""
    kept = recorded_webber2008.frame(name)
    for column in computed.columns:
        if computed[column].dtype == object:
            computed[column] = computed[column].fillna("")
    assert_frame_equal(kept, computed, check_dtype=False, rtol=1e-12, atol=1e-12)


@pytest.mark.one_in(2)
def test_tables_of_webber2008(collections: webber2008.Collections) -> None:
    computed = webber2008.tables(collections)
    for name in recorded_webber2008.TABLES:
        if name != "randomized":
            assert_kept(name, computed[name])


@pytest.mark.one_in(2)
def test_figures_of_webber2008(collections: webber2008.Collections) -> None:
    few = webber2008.figure_tables(
        collections, samples=1, partitions=2, repartitions=2, sizes=(2, 5)
    )
    for name in FIXED:
        assert_kept(name, few[name])
    kept = (recorded_webber2008.FOLDER / "figure1.txt").read_bytes()
    assert kept == recorded_webber2008.shades(few["figure1"])


@pytest.mark.long
def test_random_figures_of_webber2008(collections: webber2008.Collections) -> None:
    """All samples and partitions, 20 seconds."""
    computed = webber2008.figure_tables(collections)
    for name in DRAWN:
        assert_kept(name, computed[name])


def test_section_2_of_urbano2019(shared_data: Path) -> None:
    scores = urbano2019.scores(shared_data, recorded_urbano2019.MATRIX)
    computed = recorded_urbano2019.section2(scores)
    kept = recorded_urbano2019.frame("section2")
    assert_frame_equal(kept, computed, rtol=1e-12, atol=1e-12)


@of_this_matplotlib
def test_figure_1_of_urbano2019(shared_data: Path) -> None:
    drawn = recorded_urbano2019.picture(urbano2019.scores(shared_data, recorded_urbano2019.MATRIX))
    one, other = (imread(io.BytesIO(each)) for each in (kept_picture(), drawn))
    assert one.shape == other.shape
    assert abs(one - other).mean() < 0.01  # of 1; rendering differs a little between machines


def kept_picture() -> bytes:
    return recorded_urbano2019.PICTURE.read_bytes()


@pytest.mark.long
def test_trials_of_urbano2019(shared_data: Path) -> None:
    """All 10,000 trials of each experiment, a minute of a core."""
    for name, content in recorded_urbano2019.computed(shared_data).items():
        if name != recorded_urbano2019.PICTURE.name:
            computed = pd.read_csv(io.BytesIO(content))
            assert_frame_equal(recorded_urbano2019.frame(name.removesuffix(".csv")), computed)
