"""Every kind of figure beside its picture in ``baseline``; ``make images`` draws these anew."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from matplotlib import style
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images

from cdfscore.models import anova, mixed_model
from cdfscore.models.goals import plan
from cdfscore.plots.kinds import KINDS, Kind, panels
from tests.models import designs
from tests.plots.pictures import BASELINE, DPI, STYLE, TOLERANCE, compared, of_this_matplotlib
from tests.plots.test_every_kind import LONG, REFUSED, result_of, scores

SIZES = [(12, 50), (110, 50)]
pytestmark = of_this_matplotlib
CASES = [(kind, size) for kind in KINDS for size in SIZES if size not in REFUSED.get(kind.name, ())]


def drawn(kind: Kind, size: tuple[int, int]) -> Figure:
    with warnings.catch_warnings(action="ignore"):
        return panels(kind, [result_of(kind, scores(*size, LONG), "normal")])


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("kind", "size"), CASES, ids=[f"{k.name}-{s[0]}" for k, s in CASES])
@compared
def test_kind(kind: Kind, size: tuple[int, int]) -> Figure:
    return drawn(kind, size)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["effects", "means", "residuals", "variances", "plan"])
@compared
def test_model(name: str) -> Figure:
    components = designs.COMPONENTS
    if name == "plan":
        return plan(designs.scores(), "interval:width=0.5").plot()
    if name == "variances":
        random = ["topic", "topic:stemmer"]
        return mixed_model(designs.scores(), "score ~ stemmer", components, random=random).plot()
    formula = "score ~ topic + stemmer * model * stoplist"
    found = anova(designs.scores(), formula, components, schemes=["raw", "normal"])
    figures: dict[str, Any] = {
        "effects": found.plot,
        "means": lambda: found.plot_means("stemmer:model"),
        "residuals": found.plot_residuals,
    }
    figure: Figure = figures[name]()
    return figure


def test_each_picture_is_of_a_case_and_they_are_small() -> None:
    there = sorted(BASELINE.glob("*.png"))
    names = [f"test_kind_{kind.name}-{size[0]}.png" for kind, size in CASES]
    assert [path.name for path in there if "kind" in path.name] == sorted(names)
    assert sum(path.stat().st_size for path in there) < 2_000_000


def test_a_change_that_is_seen_is_found(tmp_path: Path) -> None:
    by_name = {kind.name: kind for kind in KINDS}
    with style.context(STYLE):
        changed = {name: drawn(by_name[name], (12, 50)) for name in ("per_topic", "pit", "dkw")}
    median = next(
        line for line in changed["per_topic"].axes[0].lines if line.get_label() == "median"
    )
    median.set_visible(False)
    bars = changed["pit"].axes[0].patches
    assert to_hex(bars[0].get_facecolor()) == "#0072b2"
    for bar in bars[:10]:
        bar.set_facecolor("#D55E00")
    low, high = changed["dkw"].axes[0].get_xlim()
    changed["dkw"].axes[0].set_xlim(low, high + 0.1 * (high - low))
    for name, figure in changed.items():
        expected, actual = BASELINE / f"test_kind_{name}-12.png", tmp_path / f"{name}.png"
        with style.context(STYLE):
            figure.savefig(actual, dpi=DPI)
        assert compare_images(str(expected), str(actual), TOLERANCE) is not None, name
