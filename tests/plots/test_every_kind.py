"""Every kind of figure, of few and many systems and topics: legible, or refused with advice."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Diagnosis, Standardizer, compare, diagnose, sensitivity
from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity
from cdfscore.errors import PlotError
from cdfscore.plots.canvas import size_of
from cdfscore.plots.kinds import KINDS, Kind, panels
from cdfscore.standardization.standardized import Factors
from tests.plots.legibility import problems

LONG = "a retrieval system with a name of sixty letters, number {:05d}"
WIDE = 57 * "W" + "{:03d}"
SIZES = [(5, 3), (5, 50), (12, 50), (110, 50), (300, 20), (12, 1000)]
# Sizes of which a kind cannot be read, and says what to use.
REFUSED: dict[str, list[tuple[int, int]]] = {}
# Tests of kinds that are not of each test of pairs.
TESTS = {"means": "tukey_hsd"}


def scores(systems: int, topics: int, name: str = "run{}") -> pd.DataFrame:
    rng = np.random.default_rng(7)
    hard, good = rng.normal(-1, 0.8, (topics, 1)), rng.normal(0, 0.4, (1, systems))
    y = 1 / (1 + np.exp(-(hard + good + rng.normal(0, 0.6, (topics, systems)))))
    return pd.DataFrame(
        y.round(4),
        index=pd.Index([str(301 + i) for i in range(topics)], name="topic"),
        columns=[name.format(i) for i in range(systems)],
    )


def result_of(kind: Kind, frame: pd.DataFrame, scheme: str) -> tuple[Any, dict[str, Any]]:
    if kind.of is Comparison:
        test = TESTS.get(kind.name, "paired_t")
        return compare(frame, test, scheme=scheme), {"scheme": scheme_name(scheme)}
    schemes = ["raw", scheme, "uniform:A=0.3,B=0.5"]
    if kind.of is ConclusionGrid:
        tests = ("paired_t", "sign", "student_t:conf_level=0.9")
        return ConclusionGrid([compare(frame, test, scheme=schemes) for test in tests]), {}
    if kind.of is Sensitivity:
        return sensitivity(frame, schemes), {}
    if kind.of is Diagnosis:
        return diagnose(frame, [scheme], bootstrap=0), {"scheme": scheme_name(scheme)}
    if kind.of is Factors:
        return Standardizer(scheme).fit(frame), {}
    return Standardizer(scheme).standardize(frame), {}


def scheme_name(scheme: str) -> str:
    return str(Standardizer(scheme).scheme)


@pytest.mark.one_in(80)
@pytest.mark.parametrize("name", ["run{}", LONG], ids=["short", "long"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_it_is_legible_or_says_what_to_use(kind: Kind, size: tuple[int, int], name: str) -> None:
    with warnings.catch_warnings(action="ignore"):
        drawn = result_of(kind, scores(*size, name), "empirical")
    if size in REFUSED.get(kind.name, ()):
        with pytest.raises(PlotError) as caught:
            panels(kind, [drawn])
        others = [other.name for other in KINDS if other is not kind]
        assert any(f"{each!r}" in str(caught.value) for each in others)
    else:
        assert problems(panels(kind, [drawn])) == []


@pytest.mark.parametrize(
    "kind",
    [
        # one layout leaves too little room to the panels of these
        pytest.param(kind, marks=[] if kind.name in ("pairs", "slope") else pytest.mark.one_in(5))
        for kind in KINDS
    ],
    ids=lambda kind: kind.name,
)
def test_names_of_sixty_wide_letters_have_room(kind: Kind) -> None:
    frame = scores(12, 20, WIDE)
    frame.index = pd.Index([WIDE.format(i) for i in range(20)], name="topic")
    assert problems(panels(kind, [result_of(kind, frame, "empirical")])) == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_it_draws_on_the_axes_that_are_given_and_returns_them(kind: Kind) -> None:
    from matplotlib.figure import Figure

    result, keywords = result_of(kind, scores(5, 20), "normal")
    axes = Figure().subplots()
    assert kind.plot(result, axes, **keywords) is axes
    assert axes.has_data()
    own = kind.plot(result, **keywords)
    assert tuple(own.figure.get_size_inches()) == size_of(kind.plot, result, **keywords)
    words = " ".join(text.get_text() for text in own.figure.findobj(match=is_text))
    assert "N-std" in words
    assert "normal" not in words


def is_text(artist: object) -> bool:
    from matplotlib.text import Text

    return isinstance(artist, Text)
