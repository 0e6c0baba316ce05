"""Figures that several processes draw, file by file."""

import pytest
from matplotlib.figure import Figure

from cdfscore.plots.canvas import Drawing, draw_all, new_figure


def a_line(places: tuple[float, ...], title: str) -> Figure:
    """Draw a line; of a module, so that another process finds it."""
    figure = new_figure(2, 2)
    figure.add_subplot(title=title).plot(places)
    return figure


@pytest.mark.long
def test_drawings_of_several_processes_are_those_of_one() -> None:
    drawings = [Drawing(f"d{i}", a_line, ((0.0, float(i), 1.0), f"line {i}")) for i in range(3)]
    counted: dict[int, list[tuple[int, int]]] = {1: [], 2: []}
    alone, together = (
        draw_all(drawings, processes, lambda *done, own=own: own.append(done))
        for processes, own in counted.items()
    )
    assert list(alone) == [f"d{i}.{ending}" for i in range(3) for ending in ("svg", "pdf")]
    assert together == alone
    assert counted[1] == counted[2] == [(1, 3), (2, 3), (3, 3)]
    assert len(set(alone.values())) == 6
