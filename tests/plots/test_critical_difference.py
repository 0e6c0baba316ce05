"""The critical-difference diagram: every system and every group is in it, where it belongs."""

import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

from cdfscore.errors import OutputError
from cdfscore.io.text import printable
from cdfscore.plots.critical_difference import critical_difference, encode_diagram

MEANS = {"QL": 0.28, "BM25": 0.30, "cost$ of $x": 0.25, "LSA": 0.10, "tie": 0.25}
GROUPS = [["BM25", "QL"], ["QL", "cost$ of $x", "tie"], ["LSA"]]


def test_every_system_is_named_and_leads_to_its_mean() -> None:
    axes = critical_difference(MEANS, GROUPS)
    names = [text.get_text() for text in axes.texts]
    assert names == [
        "BM25 0.3000",
        "QL 0.2800",
        r"cost\$ of \$x 0.2500",
        "tie 0.2500",
        "LSA 0.1000",
    ]
    leaders = [line for line in axes.lines if line.get_marker() == "None"]
    assert [next(iter(line.get_xdata())) for line in leaders] == [0.30, 0.28, 0.25, 0.25, 0.10]
    heights = [(text.get_horizontalalignment(), text.xy[1]) for text in axes.texts]
    assert len(set(heights)) == len(MEANS)


def test_a_bar_for_each_group_with_a_point_for_each_of_its_systems() -> None:
    axes = critical_difference(MEANS, GROUPS)
    bars = [line for line in axes.lines if line.get_marker() == "o"]
    assert [list(bar.get_xdata()) for bar in bars] == [[0.28, 0.30], [0.25, 0.25, 0.28]]
    heights = [set(bar.get_ydata()) for bar in bars]
    assert heights == [{1}, {2}]
    assert min(text.xy[1] for text in axes.texts) > 2


def test_axis_and_label() -> None:
    axes = critical_difference(MEANS, [], label="mean AP")
    low, high = axes.get_xlim()
    assert low < 0.10 < 0.30 < high
    assert axes.get_xlabel() == "mean AP"
    assert len(axes.lines) == len(MEANS)


@pytest.mark.parametrize("means", [{"one": 0.5}, {"a": 0.5, "b": 0.5}])
def test_means_that_are_all_the_same(means: dict[str, float]) -> None:
    axes = critical_difference(means, [list(means)])
    low, high = axes.get_xlim()
    assert low < 0.5 < high
    axes.figure.draw_without_rendering()


def test_axes_of_the_caller_are_drawn_on() -> None:
    first = critical_difference(MEANS, GROUPS)
    other = first.figure.add_subplot()
    assert critical_difference(MEANS, GROUPS, axes=other) is other


def test_110_systems_fit_on_the_figure() -> None:
    means = {f"system{i}": i / 110 for i in range(110)}
    axes = critical_difference(means, [])
    axes.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts if text.get_ha() == "left"]
    tops = sorted((box.y1, box.y0) for box in boxes)
    assert all(upper[1] > lower[0] - 1 for lower, upper in pairwise(tops))


def _comparison() -> Any:
    means = pd.DataFrame({"raw": MEANS, "empirical": dict.fromkeys(MEANS, 0.5)})
    return SimpleNamespace(
        means=means,
        schemes=list(means.columns),
        systems=list(MEANS),
        mean_ranks=None,
        reversals={},
        groups={"raw": GROUPS, "empirical": [list(MEANS)]}.__getitem__,
    )


@pytest.mark.parametrize(
    ("name", "start"), [("a.svg", b"<?xml"), ("a.PDF", b"%PDF"), ("a.png", b"\x89PNG")]
)
def test_a_file_by_its_ending(name: str, start: bytes) -> None:
    assert encode_diagram(_comparison(), Path(name)).startswith(start)


def test_a_panel_for_each_scheme() -> None:
    text = encode_diagram(_comparison(), Path("a.svg")).decode()
    # matplotlib writes each text as a comment beside its outlines.
    assert re.findall("<!-- (mean score, .*?) -->", text) == [
        "mean score, raw",
        "mean score, empirical",
    ]
    assert text.count("<!-- BM25") == 2


@pytest.mark.parametrize("label", ["a\x1bb", "a\x00b", "a\nb", "a\x0cb", "a\u2028b", "--><b>"])
def test_control_characters_are_escaped(label: str) -> None:
    means = {"BM25": 0.3, label: 0.2}
    comparison = SimpleNamespace(
        means=pd.DataFrame({"raw": means}),
        schemes=["raw"],
        systems=list(means),
        mean_ranks=None,
        reversals={},
        groups={"raw": [list(means)]}.__getitem__,
    )
    ElementTree.fromstring(encode_diagram(comparison, Path("a.svg")))
    assert encode_diagram(comparison, Path("a.pdf")).startswith(b"%PDF")
    texts = [text.get_text() for text in critical_difference(means, []).texts]
    assert texts[1] == f"{printable(label)} 0.2000"


@pytest.mark.parametrize("name", ["a.gif", "a", "-"])
def test_another_ending_is_refused(name: str) -> None:
    with pytest.raises(OutputError, match=r"expected \.svg, \.pdf or \.png"):
        encode_diagram(_comparison(), Path(name))
