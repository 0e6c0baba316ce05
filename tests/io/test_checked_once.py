"""A frame is searched once for each content, and large ones as small ones; labels in any script."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer
from cdfscore.scores import frame as frames
from cdfscore.scores.cautions import _TELLING, telling_labels
from cdfscore.scores.labels import _stem


def drawn(topics: int, systems: int) -> pd.DataFrame:
    scores = np.random.default_rng(1).beta(1, 3, size=(topics, systems)).round(4)
    index = pd.Index([f"t{i}" for i in range(topics)])
    return pd.DataFrame(scores, index, [f"s{i}" for i in range(systems)])


@pytest.mark.parametrize("size", [(50, 10), (200_000, 10), (3, 1000)])
def test_fit_and_transform_search_once(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[str] = []
    search = frames.of_reading

    def counted(source: str, *of: object, **more: object) -> None:
        times.append(source)
        search(source, *of, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(frames, "of_reading", counted)
    scores, how = drawn(*size), Standardizer("empirical")
    first = how.fit(scores).transform(scores)
    assert len(times) == 1
    scores.iloc[1, 1] = 0.5
    second = how.fit(scores).transform(scores)
    assert len(times) == 2
    assert not first.equals(second)


def test_a_frame_whose_rows_are_systems_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = drawn(7, 5).rename_axis("system")
    found = frames.checked_scores(scores)
    monkeypatch.setattr(frames, "of_reading", None)
    assert frames.checked_scores(scores).topics == found.topics == [f"s{i}" for i in range(5)]


@given(
    st.lists(st.text(st.sampled_from("aAqß_- .0123\u0663\u0669"), max_size=6), max_size=30),
    st.sampled_from(["q", "", "t-"]),
    st.integers(0, 100),
)
def test_the_stem_is_that_of_most_labels(some: list[str], stem: str, numbered: int) -> None:
    labels = list(dict.fromkeys([*some, *(f"{stem}{i}" for i in range(numbered))]))
    times: dict[str, int] = {}
    for label in labels:
        before = re.fullmatch(r"([^\W\d_]*)[\W_]*", label.rstrip("0123456789"))
        if before is not None and label[-1:].isdecimal():
            times[before[1].casefold()] = times.get(before[1].casefold(), 0) + 1
    most = [own for own, number in times.items() if number >= 0.8 * len(labels)]
    assert _stem(tuple(labels)) == (most[0] if most else None)


@given(st.lists(st.sampled_from([*_TELLING, *"aMe%20", "Ä", "ſum", "TOTAL", "K"]), max_size=4))
def test_labels_with_a_telling_word_are_found(parts: list[str]) -> None:
    label = "".join(parts)
    told = any(word in label.casefold() for word in _TELLING)
    assert telling_labels(["t1", label, "50"]) == ([label] if told else [])
