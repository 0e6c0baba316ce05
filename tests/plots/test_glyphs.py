"""Names with signs that the font does not have, and very long ones."""

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from cdfscore import compare, datasets
from cdfscore.plots.canvas import TEXT, encode_figure, glyph_notes, text_width, wrapped
from cdfscore.plots.kinds import kind_of, panels
from tests.plots.legibility import problems

AP = datasets.load_cranfield("ap").iloc[:20, :4]
NAMES = ["\u7cfb\u7edf\u4e00", "\u7cfb", "na\u00efve", "c"]


@cache
def of_names() -> Figure:
    """Return a figure; tests write it and do not change it."""
    return panels(kind_of("pairs"), [(compare(AP.set_axis(NAMES, axis=1), "paired_t"), {})])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("ending", [".png", ".pdf", ".svg"])
def test_signs_without_a_glyph_are_noted_once_and_not_warned_of(ending: str) -> None:
    figure, path = of_names(), Path(f"figure{ending}")
    data = encode_figure(figure, path)  # any warning of Matplotlib is an error here
    if ending == ".svg":
        assert glyph_notes(figure, path) == []
        assert "\u7cfb\u7edf\u4e00" in "".join(ElementTree.fromstring(data).itertext())
    else:
        (note,) = glyph_notes(figure, path)
        assert note.startswith(
            "the font has no character for \u7cfb, \u7edf, \u4e00, which are boxes in"
        )


def test_names_that_the_font_has_are_not_noted() -> None:
    figure = panels(kind_of("pairs"), [(compare(AP, "paired_t"), {})])
    assert glyph_notes(figure, Path("figure.png")) == []


@pytest.mark.parametrize("kind", ["critical_difference", "means", "pairs"])
def test_the_middle_of_very_long_names_is_left_out(kind: str) -> None:
    names = [f"{i}{'x' * 300}{i}" for i in range(4)]
    found = compare(AP.set_axis(names, axis=1), "tukey_hsd")
    figure = panels(kind_of(kind), [(found, {})])
    assert problems(figure) == []
    words = "".join(ElementTree.fromstring(encode_figure(figure, Path("f.svg"))).itertext())
    assert all(f"{i}{'x' * 30}\u2026{'x' * 31}{i}" in words for i in range(4))


def test_no_last_word_stands_alone() -> None:
    for words in range(4, 19):  # up to three lines
        text = " ".join(["system"] * words)
        lines = wrapped(text, 3.0).splitlines()
        assert " ".join(lines) == text
        if len(lines) > 1:
            assert 3 * len(lines[-1]) >= len(lines[0])


def test_lines_of_wide_letters_have_room() -> None:
    """As many letters of the usual width would have room in a line of twice as many."""
    text = " ".join(["W" * 7] * 20)
    lines = wrapped(text, 2.0).splitlines()
    assert " ".join(lines) == text
    assert text_width(lines, TEXT) <= 2.0 < text_width([f"{lines[0]} {lines[1]}"], TEXT)
