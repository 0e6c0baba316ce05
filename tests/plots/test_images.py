"""Every kind of figure beside its picture in ``baseline``; ``make images`` draws these anew."""

import warnings
from typing import Any

import pytest
from matplotlib.figure import Figure

from cdfscore.models import anova, mixed_model
from cdfscore.models.goals import plan
from cdfscore.plots.kinds import KINDS, Kind, panels
from tests.models import designs
from tests.plots.pictures import BASELINE, compared, of_this_matplotlib
from tests.plots.test_every_kind import LONG, REFUSED, result_of, scores

SIZES = [(12, 50), (110, 50)]
pytestmark = of_this_matplotlib
CASES = [(kind, size) for kind in KINDS for size in SIZES if size not in REFUSED.get(kind.name, ())]


def drawn(kind: Kind, size: tuple[int, int]) -> Figure:
    with warnings.catch_warnings(action="ignore"):
        name = LONG if size[0] < 100 else "run{}"  # pictures are small
        return panels(kind, [result_of(kind, scores(*size, name), "normal")])


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
