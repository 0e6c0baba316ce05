"""What all figures share: page, panels, labels, colors, legends, and the chosen scheme."""

from __future__ import annotations

import functools
import inspect
import io
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

import numpy as np

from cdfscore.common.files import check_ending
from cdfscore.common.text import SYSTEMS, in_units, listed, printable
from cdfscore.common.threads import process_pool
from cdfscore.errors import MissingDependencyError, PlotError, SchemeError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import parse_scheme, scheme_label

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text


#: Font sizes in points: that of a caption in a paper, and a smaller one for tick labels.
TEXT, SMALL = 8, 7
#: Width and height of a figure, in inches.
Size = tuple[float, float]
#: Width of a title, in inches.
WIDTH = 3.06
# Width of a character as a part of its height, on average; of DejaVu Sans.
_CHARACTER = 0.55
# Characters that a line of text has room for, whatever their width.
_SHORTEST = 8
# Characters of a name; the middle of a longer name is omitted, as names differ at their ends.
_LONGEST = 64
#: The direction of an axis.
HIGHER = "(higher is better)"
#: Inches that a line of names takes.
LINE = 0.115
# Of the smallest names, and the height of letters as a part of a line.
_SMALLEST, _LETTERS = 0.08, 0.95

# Colors for readers with color blindness, by Okabe and Ito (2008). Their yellow is omitted, because
# it is too light for a thin line.
BLACK = "#000000"
BLUE = "#0072B2"
ORANGE = "#E69F00"
PURPLE = "#CC79A7"
GREEN = "#009E73"
VERMILION = "#D55E00"
SKY_BLUE = "#56B4E9"
#: For secondary parts: lines for comparison, missing values.
GREY = "0.45"
_COLORS = (BLACK, BLUE, ORANGE, PURPLE, GREEN, VERMILION, SKY_BLUE)
_DASHES: tuple[Any, ...] = (
    "solid",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (9, 2)),
    (0, (5, 1.5, 1, 1.5, 1, 1.5)),
)
_MARKERS = ("o", "s", "^", "v", "D")

#: Settings of `Axes.plot`: color, linestyle and marker.
Style = dict[str, Any]
# The line before a label, and what is around both, in font sizes.
_HANDLE, _AROUND = 3.5, 3.0
# The height of a line of such a legend, in inches.
_LINE = 0.16
# From the panel to the legend below it: tick labels and the label of the axis, in inches.
_BELOW = 0.36

Result = TypeVar("Result", contravariant=True)
Options = ParamSpec("Options")


class Plot(Protocol[Result, Options]):
    """A function ``plot_x``; without axes it draws on those of a new figure."""

    __name__: str

    def __call__(
        self, result: Result, ax: Axes | None = None, *args: Options.args, **kwargs: Options.kwargs
    ) -> Axes:
        """Draw a result on a panel, and return its axes."""


#: The size of the figure of each function ``plot_x``, or the function that computes it.
SIZES: dict[Callable[..., Any], Size | Callable[..., Size]] = {}
# What the first parameter of these functions is, by its type, and how one is made.
_RESULTS = {
    "Anova": "An analysis of variance.",
    "Comparison": "A comparison of pairs.",
    "Standardized": "Standardized scores; those by the scheme raw for raw ones.",
}
_MADE = {
    "Anova": """\
>>> from cdfscore import datasets
>>> from cdfscore.models import anova
>>> found = anova(datasets.load_cranfield("ap").iloc[:10], "score ~ topic + system")
""",
    "Comparison": """\
>>> from cdfscore import compare, datasets
>>> found = compare(datasets.load_cranfield("ap").iloc[:, :5], "tukey_hsd")
""",
    "Standardized": """\
>>> from cdfscore import Standardizer, datasets
>>> found = Standardizer("normal").standardize(datasets.load_cranfield("ap"))
""",
}
# What all of these functions say.
_AX = "    The axes to draw on; those of a new figure if not given.\n"
_SCHEME = "    The scheme that is drawn; needed if the result has several.\n"
_SEVERAL = "    For several schemes without `scheme`, and for one that the result does not have.\n"
_ABSENT = "    If matplotlib is not installed.\n"


def _documented(draw: Callable[..., None]) -> str:
    """Return a docstring with what all such functions have: parameters, errors and an example."""
    own = inspect.signature(draw).parameters
    parts = re.split(r"\n(\w+)\n-+\n", inspect.cleandoc(draw.__doc__ or "") + "\n")
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    parameters, errors = (
        dict(re.findall(r"^(\w+)\n((?: .*\n)+)", sections.pop(name, ""), re.M))
        for name in ("Parameters", "Raises")
    )
    kind = str(own["result"].annotation).partition("[")[0]
    result = f"    {_RESULTS.get(kind, '')}\n"
    parameters = {"result": result, **parameters, "ax": _AX, "scheme": _SCHEME}
    if "scheme" in own:
        errors["PlotError"] = errors.get("PlotError", "") + _SEVERAL
    errors["MissingDependencyError"] = _ABSENT
    told = {
        "Parameters": "".join(f"{name}\n{parameters[name]}" for name in own),
        "Raises": "".join(f"{name}\n{text}" for name, text in errors.items()),
        **sections,
    }
    told["Examples"] = re.sub(
        r"\A(>>> from .+\n)+",
        rf"\g<0>>>> from cdfscore.plots import {draw.__name__}\n",
        sections.get("Examples") or f"{_MADE[kind]}>>> axes = {draw.__name__}(found)\n",
    )
    return "\n".join(
        [parts[0], *(f"{name}\n{'-' * len(name)}\n{text}" for name, text in told.items())]
    )


def panel(
    size: Size | Callable[..., Size],
) -> Callable[[Callable[Concatenate[Result, Axes, Options], None]], Plot[Result, Options]]:
    """Return a decorator that makes ``plot_x`` of a function that draws on given axes.

    A new figure has this size in inches. The function gets the name of the scheme as the result
    spells it, and its labels get the words of the result. Its docstring gets what all such
    functions say of `ax`, of `scheme` and of errors.
    """

    def made(draw: Callable[Concatenate[Result, Axes, Options], None]) -> Plot[Result, Options]:
        signature = inspect.signature(draw)
        several = "scheme" in signature.parameters

        def plot(result: Any, ax: Axes | None = None, **keywords: Any) -> Axes:
            if several:
                keywords["scheme"] = chosen_scheme(result.schemes, keywords.get("scheme", ""))
            figure = None if ax is not None else new_figure(*size_of(plot, result, **keywords))
            axes: Any = ax if figure is None else figure.subplots()
            if hasattr(result, "used"):  # of standardized scores
                span(result.used.values)
            cast("Any", draw)(result, axes, **keywords)
            if hasattr(type(result), "units"):  # no frame of trials
                _say(result.units, axes)
            if figure is not None:
                settle(figure)  # of given axes, the layout is the user's
            return cast("Axes", axes)

        functools.update_wrapper(plot, draw)
        plot.__doc__ = _documented(draw) if draw.__doc__ else None  # without any by python -OO
        known = dict(signature.parameters)
        known["ax"] = known["ax"].replace(default=None, annotation="Axes | None")
        vars(plot)["__signature__"] = inspect.Signature([*known.values()], return_annotation="Axes")
        SIZES[plot] = size
        return cast("Plot[Result, Options]", plot)

    return made


def size_of(plot: Callable[..., Axes], result: Any, **keywords: Any) -> Size:
    """Return the width and height of the figure in inches; raises what the figure raises."""
    size = SIZES[plot]
    if not callable(size):
        return size
    taken = inspect.signature(size).parameters
    if "scheme" in taken:
        keywords["scheme"] = chosen_scheme(result.schemes, keywords.get("scheme", ""))
    return size(result, **{name: each for name, each in keywords.items() if name in taken})


@contextmanager
def without_warnings() -> Iterator[None]:
    """Suppress the warnings of Matplotlib for each character; `glyph_notes` reports them once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        yield


def glyph_notes(figure: Figure, path: Path) -> list[str]:
    """Return a note on the characters that are boxes in the file of a figure, if there are any."""
    if path.suffix.lower() == ".svg":
        return []
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.text import Text

    absent: dict[str, None] = {}
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        font = get_font(findfont(text.get_fontproperties()))
        for sign in dict.fromkeys(text.get_text().replace("\n", "")):
            if font.get_char_index(ord(sign)) == 0:
                absent[sign] = None
    if not absent:
        return []
    boxes = "is a box" if len(absent) == 1 else "are boxes"
    return [
        f"the font has no character for {listed([*absent])}, which {boxes} in {path}; an .svg file "
        "shows all characters in the fonts of the reader"
    ]


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches, outside of any global state."""
    require_matplotlib()
    from cdfscore.plots.shown_figure import ShownFigure

    return ShownFigure(figsize=(width, height), layout="constrained")


def text_width(labels: Iterable[str], points: float = SMALL) -> float:
    """Return the width of the widest of these labels, in inches, so that a figure has room."""
    require_matplotlib()
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=points)
    with without_warnings():
        widths = [
            text_to_path.get_text_width_height_descent(label.replace(r"\$", "$"), font, False)[0]
            for label in labels
        ]
    return float(max(widths, default=0.0)) / 72


def require_matplotlib() -> None:
    """Raise `MissingDependencyError` if matplotlib is not installed."""
    try:
        import_module("matplotlib.figure")
    except ImportError as error:
        raise MissingDependencyError(
            "plots need matplotlib, which is not installed; run pip install 'cdfscore[plots]'"
        ) from error


def plain(label: object) -> str:
    """Return a label for matplotlib, where $ does not begin a formula.

    A label that begins with an underscore gets a space in front, as a legend would omit it.
    """
    text = printable(str(label)).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def wrapped(text: str, inches: float, points: float = TEXT) -> str:
    """Return a text in lines that are at most so long, each of them safe for matplotlib."""
    width = max(_SHORTEST, int(72 * inches / (_CHARACTER * points)))
    # A direction, such as "(higher is better)", stays in one line.
    kept = [re.sub(r" (?=is better|better\))", "\xa0", plain(line)) for line in text.splitlines()]
    while True:
        lines = [part for line in kept for part in _balanced(line, width)]
        if width == _SHORTEST or text_width(lines, points) <= inches:
            return "\n".join(lines).replace("\xa0", " ")
        width = max(_SHORTEST, int(0.9 * width))  # of wide letters fewer have room


def _balanced(line: str, width: int) -> list[str]:
    """Return as few lines as there can be; if the last one is short, all have about one length."""
    fewest = textwrap.wrap(line, width)
    longest = max(map(len, line.split(" ")))
    if len(fewest) < 2 or longest > width or 2 * len(fewest[-1]) >= max(map(len, fewest)):
        return fewest
    evenly = (textwrap.wrap(line, least) for least in range(longest, width + 1))
    return next(lines for lines in evenly if len(lines) == len(fewest))


def finish(axes: Axes, *, title: str = "", xlabel: str = "", ylabel: str = "") -> None:
    """Add labels to a panel, in the font sizes of the figure, and a thin frame."""
    axes.set_title(title, fontsize=TEXT)
    axes.set_xlabel(xlabel, fontsize=TEXT)
    axes.set_ylabel(ylabel, fontsize=TEXT)
    axes.tick_params(which="both", width=0.5, length=2.5, pad=2)
    for axis in (axes.xaxis, axes.yaxis):  # of many names, smaller
        axis.set_tick_params("both", labelsize=axis.get_tick_params().get("labelsize", SMALL))
    axes.tick_params(which="minor", length=1.5)
    axes.spines[:].set_linewidth(0.5)


def _say(units: tuple[str, str], *drawn: Axes, texts: Iterable[Text] = ()) -> None:
    """Write the labels of panels, and other texts, in the words of the scores; see `in_units`."""
    every = [own for axes in drawn for own in (axes, *axes.child_axes)]  # a bar of colors
    labels = (label for own in every for label in (own.title, own.xaxis.label, own.yaxis.label))
    for text in (*labels, *texts):
        text.set_text(in_units(units, text.get_text()))


def settle(figure: Figure) -> Figure:
    """Fix the layout of the figure, so that all its files have the same layout."""
    from cdfscore.plots.shown_figure import unhinted

    engine = figure.get_layout_engine()
    assert engine is not None  # that of new_figure
    with without_warnings(), unhinted():
        # One layout begins at the one before, of which wide names leave too little to the panel.
        for _ in range(2):
            engine.execute(figure)
    figure.set_layout_engine("none")
    return figure


def span(values: Array) -> tuple[float, float]:
    """Return the span of [0, 1] and all finite values; raises `PlotError` if no axis has it."""
    finite = values[np.isfinite(values)]
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=1.0))
    if math.isinf(2.0**40 * (high - low)):  # sums of many, and margins, are larger
        raise PlotError(f"no axis can show numbers from {low:g} to {high:g}; expected smaller ones")
    return low, high


def limits(values: Array) -> tuple[float, float]:
    """Return the ends of an axis: the span of the values, and a margin."""
    low, high = span(values)
    margin = 0.03 * (high - low)
    return low - margin, high + margin


def name_of(system: str) -> str:
    """Return a name for matplotlib; the middle of a name over 64 characters is omitted.

    >>> name_of("bm25"), len(name_of("bm25" * 100))
    ('bm25', 64)
    """
    if len(system) > _LONGEST:
        begin, end = (_LONGEST - 1) // 2, _LONGEST // 2
        system = f"{system[:begin]}\u2026{system[-end:]}"
    return plain(system)


def points_of(labels: Sequence[str], room: float) -> float:
    """Return the font size at which labels fit into this width: the size of ticks, or smaller."""
    return SMALL * min(1.0, room / text_width(labels))


def name_places(axis: Axis, names: Sequence[str], inches: float, room: float = math.inf) -> str:
    """Name the places of an axis, or one in so many; return this in words, or ""."""
    step = max(1, math.ceil(len(names) * _SMALLEST / inches))
    points = min(points_of(names, room), 72 * _LETTERS * step * inches / len(names))
    axis.set_ticks(range(0, len(names), step), names[::step])
    axis.set_tick_params(labelsize=points)
    return f"; one in {step} is named" if step > 1 else ""


def rank_ticks(axis: Axis, count: int) -> None:
    """Put ticks at ranks of `count` systems within the axis; 1 is one of them."""
    low, high = sorted(axis.get_view_interval())
    round_ones = axis.get_major_locator().tick_values(low, high)
    axis.set_ticks([x for x in {1.0, *round_ones} if max(low, 1) <= x <= min(high, count)])


def chosen_scheme(schemes: Sequence[str], scheme: str) -> str:
    """Return the scheme that is named, in any spelling, or the only one if none is named.

    Raises `PlotError` for a scheme that is not there, and for none of several.

    >>> chosen_scheme(["raw", "empirical:convention=weak"], "empirical")
    'empirical:convention=weak'
    """
    if not scheme:
        if len(schemes) == 1:
            return schemes[0]
        asked = "has several schemes"
    else:
        spelled = scheme
        with suppress(SchemeError):
            spelled = scheme if scheme in schemes else str(parse_scheme(scheme))
        if spelled in schemes:
            return spelled
        asked = f"is not by {scheme!r}"
    raise PlotError(f"the result {asked}; expected one of {', '.join(schemes)}")


def styles(schemes: Iterable[str]) -> dict[str, Style]:
    """Return a style for each scheme; 7 colors, 6 dashes, 5 markers: the first 210 differ."""
    return {
        scheme: {
            "color": _COLORS[i % len(_COLORS)],
            "linestyle": _DASHES[i % len(_DASHES)],
            "marker": _MARKERS[i % len(_MARKERS)],
        }
        for i, scheme in enumerate(schemes)
    }


def legend_below(axes: Axes, lines: Sequence[Artist] | None = None) -> None:
    """Put a legend below the axis, an entry a line: of these lines, or of all with a label."""
    from matplotlib.transforms import ScaledTranslation

    lines = axes.get_legend_handles_labels()[0] if lines is None else lines
    if not lines:
        return
    if (other := axes.get_legend()) is not None:  # one in the panel, which stays
        axes.add_artist(other)
    down = _BELOW + _LINE * axes.get_xlabel().count("\n")
    below = ScaledTranslation(0, -down, axes.figure.dpi_scale_trans)
    axes.legend(
        handles=lines,
        loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=axes.transAxes + below,
        fontsize=SMALL, frameon=False, borderpad=0,
    )  # fmt: skip


def legend_of_schemes(figure: Figure, looks: Mapping[str, Style]) -> None:
    """Put a legend of schemes, each in its look, below all panels of a figure."""
    from matplotlib.lines import Line2D

    width, beside = figure.get_figwidth() - 0.2, (_HANDLE + _AROUND) * TEXT / 72
    labels = [wrapped(scheme_label(label), width - beside) for label in looks]
    widest = text_width([line for label in labels for line in label.split("\n")], TEXT)
    columns = min(len(looks), max(1, int(width / (widest + beside))))
    lines = -(-len(looks) // columns) * max(label.count("\n") + 1 for label in labels)
    figure.set_figheight(figure.get_figheight() + (lines - 1) * _LINE)
    figure.legend(
        [Line2D([], [], linewidth=1.0, markersize=2.5, **look) for look in looks.values()],
        labels,
        loc="outside lower center",
        ncols=columns,
        fontsize=TEXT,
        handlelength=_HANDLE,
        frameon=False,
    )


# Files --------------------------------------------------------------------------------------------

# Endings of files, and the metadata that removes the time of writing.
_DATES: dict[str, dict[str, None]] = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
    ".png": {},
}
#: Endings of files of figures.
ENDINGS = tuple(_DATES)
_DPI = 300
OF_DRAWINGS = (".svg", ".pdf")


def encode_figure(figure: Figure, path: Path) -> bytes:
    """Return a figure as an SVG, PDF or PNG file, by the ending of `path`.

    The same figure always gives the same bytes with the same matplotlib. A PNG, and rasterized
    parts, have 300 dots per inch.

    Parameters
    ----------
    figure
        A figure of matplotlib.
    path
        The file name; nothing is written.

    Raises
    ------
    OutputError
        For another ending.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> encode_figure(Figure(figsize=(2, 2)), Path("figure.pdf"))[:4]
    b'%PDF'
    """
    ending = check_ending(path, ENDINGS)
    import matplotlib as mpl

    stream = io.BytesIO()
    # Names of parts of an SVG are derived from this text instead of at random, and its texts are
    # texts, which can be searched and copied. Publishers accept only fonts of type 42 and type 1 in
    # a PDF.
    settings = mpl.rc_context(
        {"svg.hashsalt": "cdfscore", "svg.fonttype": "none", "pdf.fonttype": 42}
    )
    with settings, without_warnings():
        figure.savefig(stream, format=ending[1:], dpi=_DPI, metadata=_DATES[ending])
    return stream.getvalue()


@dataclass(frozen=True)
class Drawing:
    """A figure to draw: the name of its files, the drawing function, its arguments, its words."""

    name: str
    draw: Callable[..., Figure]
    given: tuple[Any, ...]
    units: tuple[str, str] = SYSTEMS

    def files(self) -> dict[str, bytes]:
        """Draw the figure, and return an SVG and a PDF file by name."""
        from matplotlib import style

        with style.context("default"):
            figure = self.draw(*self.given)
            _say(self.units, *figure.axes, texts=figure.texts)
            names = [f"{self.name}{ending}" for ending in OF_DRAWINGS]
            return {name: encode_figure(figure, Path(name)) for name in names}


def draw_all(
    drawings: Sequence[Drawing], processes: int, progress: Callable[[int, int], None]
) -> dict[str, bytes]:
    """Return the files of all drawings; `progress` is called with the numbers done and in all."""
    files: dict[str, bytes] = {}
    with process_pool(processes) as pool:
        each = (pool.map if pool else map)(Drawing.files, drawings)
        for done, drawn in enumerate(each, start=1):
            files |= drawn
            progress(done, len(drawings))
    return files
