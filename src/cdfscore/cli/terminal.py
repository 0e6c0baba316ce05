"""Output of commands: notes on stderr; text and tables on standard output.

All tables of all commands are laid out here. A terminal has a width, which no line exceeds, and a
pipe has none. A number is never cut: number columns neither shrink nor wrap. Where a row is too
wide for the terminal, headers and text are broken at spaces first. If that is not enough, minor
columns are left out; and then a row takes several lines.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

import typer

from cdfscore.common.text import counted, in_units, listed, printable, shortened, units, worded
from cdfscore.errors import CdfscoreError, OutputError

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from cdfscore.report.writing import Captioned, Column

# Width for files and pipes, so that lines are not wrapped.
_WIDTH = 1000
#: More columns that are not shown, such as systems, are not all named.
_NAMED = 10
#: Number of rows of a long result that a terminal shows.
ROWS = 20
_GAP, _INDENT = 2, 2
# The least width for which lines are broken.
_LEAST = 10
# Text is not broken to less than the first, and words only if they are longer than the second.
_NARROW, _LONG_WORD = 24, 30

#: Columns of a line of the terminal, each with its width.
_Line = list[tuple["Column", int]]

#: Begins a progress bar with a title, and returns its update, which takes the steps done and all.
Begin = Callable[[str], Callable[[int, int], None]]
_GOES_ON = "finished trials are cached, and --resume continues from them"
_quiet = ContextVar("_quiet", default=False)
#: Writes the options of the running command in place of the arguments that a text names.
_with_options: ContextVar[Callable[[str], str]] = ContextVar("_with_options", default=str)


def be_quiet(quiet: bool) -> None:
    """Let `say` print nothing, or again what it is given."""
    _quiet.set(quiet)


@contextmanager
def naming_options(rewrite: Callable[[str], str]) -> Iterator[None]:
    """Let `rewrite` put options in place of arguments in what is said and shown, and in errors."""
    before = _with_options.set(rewrite)
    try:
        with worded(anew=True):
            yield
    except CdfscoreError as error:
        error.args = (in_options(str(error)),)
        raise
    finally:
        _with_options.reset(before)


def in_options(text: str) -> str:
    """Return a text with the options of the running command in place of arguments."""
    return _with_options.get()(text)


def _worded(text: str) -> str:
    return in_units(units.get(), in_options(text))


def say(*lines: str, wrapped: bool = True) -> None:
    """Print notes on stderr, with control characters escaped; a terminal breaks them at spaces."""
    for line in () if _quiet.get() else lines:
        text = f"cdfscore: {shortened(printable(_worded(line)))}"
        if wrapped and sys.stderr is not None and sys.stderr.isatty():
            text = "\n  ".join(_broken(text, _columns(sys.stderr) - _INDENT))
        typer.echo(text, err=True)


@contextmanager
def shown_progress(interrupted: str = _GOES_ON) -> Iterator[Begin]:
    """Yield what begins a progress bar on a terminal; Ctrl-C says `interrupted` as well."""
    try:
        if sys.stderr is None or not sys.stderr.isatty():
            yield lambda title: lambda done, total: None
        else:
            from rich import progress

            columns = [progress.TextColumn("{task.description}"), progress.BarColumn()]
            columns += [progress.MofNCompleteColumn(), progress.TimeRemainingColumn()]
            with progress.Progress(*columns, console=_of_stderr()) as bars:

                def begin(title: str) -> Callable[[int, int], None]:
                    task = bars.add_task(title, total=None, visible=False)
                    return lambda done, total: bars.update(
                        task, completed=done, total=total, visible=True
                    )

                yield begin
    except KeyboardInterrupt:
        raise KeyboardInterrupt(interrupted) from None


@contextmanager
def busy(doing: str) -> Iterator[None]:
    """Show on a terminal what is being done, for as long as it takes."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
    else:
        with _of_stderr().status(doing):
            yield


def _of_stderr() -> Console:
    from rich.console import Console

    # Only with a height as well does Rich take the width of a terminal that is called dumb.
    return Console(stderr=True, width=_columns(sys.stderr), height=25)


def show(*lines: str) -> None:
    """Print lines on standard output, broken at spaces in a terminal, with the same indent."""
    _require_output()
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        text = line
        if is_terminal() and line:
            width = _columns(sys.stdout) - len(indent) - _INDENT
            text = indent + f"\n{indent}{' ' * _INDENT}".join(_broken(line.lstrip(), width))
        typer.echo(text)


def is_terminal() -> bool:
    """Tell whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def written(out: str | None) -> str | None:
    """Return the file for a result: standard output by default, but None in a terminal.

    A terminal then shows the result by `show_result`, and not as the content of a file.
    """
    return "-" if out is None and not is_terminal() else out


def show_result(tables: Iterable[Captioned], row: str | None, count: int | None = None) -> None:
    """Show captions and the first rows of each table; all rows if there is no name of a `row`."""
    for table in tables:
        show_text(*filter(None, (table.title, table.caption)), "")
        of = count or len(table.columns[0].cells)
        shown = slice(ROWS if row else None)
        first = [replace(column, cells=column.cells[shown]) for column in table.columns]
        left_out = _print(replace(table, caption="", columns=first))
        if row and of > ROWS:
            show_text("", f"The first {ROWS} of {counted(of, row)} are shown")
        show_text(*_not_shown(left_out), "")
    show_text("-o FILE writes all rows and digits to a file, and -o - prints them.")


def show_scores(matrices: Mapping[str, pd.DataFrame]) -> None:
    """Show the first topics and systems of score matrices in a terminal, by the name of each."""
    from cdfscore.report.standardization import of_scores

    topics = max(map(len, matrices.values()))
    tables = (of_scores(scores.iloc[:ROWS], title) for title, scores in matrices.items())
    show_result(tables, "topic", count=topics)


def show_table(table: Captioned) -> None:
    """Print a whole table below its caption."""
    show_text(*_not_shown(_print(table)))


def _not_shown(headers: Sequence[str]) -> list[str]:
    are = "column is" if len(headers) == 1 else "columns are"
    names = listed(headers) if len(headers) > _NAMED else ", ".join(headers)
    return [f"{len(headers)} {are} not shown: {names}"] * bool(headers)


def show_text(*paragraphs: str) -> None:
    """Print paragraphs on standard output, broken at spaces."""
    console = _console()
    for text in paragraphs:
        console.print(_worded(text), markup=False, highlight=False)


def _print(table: Captioned) -> list[str]:
    from rich.text import Text

    console = _console()
    columns = []
    for column in table.columns:
        cells = [*map(printable, column.cells)]
        if column.numeric and any(cell.endswith("*") for cell in cells):
            cells = [cell + " " * (not cell.endswith("*")) for cell in cells]
        columns.append(replace(column, cells=cells))
    lines, left_out = _laid_out(columns, console.width if is_terminal() else None)
    width = max(_total(width for _, width in line) for line in lines)
    caption = _broken(table.caption, console.width if is_terminal() else width)
    shown = [(line.ljust(width), "table.title") for line in caption if table.caption]
    for number in range(-1, len(columns[0].cells)):
        style = "" if number >= 0 else "table.header"
        for place, line in enumerate(lines):
            shown += [(text, style) for text in _line_of_row(line, number, place > 0)]
    for text, style in shown:
        console.print(Text(text, style), no_wrap=True, overflow="ignore", crop=False)
    return left_out


def _line_of_row(line: _Line, number: int, is_further: bool) -> Iterator[str]:
    is_header = number < 0
    cells = [column.header if is_header else column.cells[number] for column, _ in line]
    if is_further and not any(cells):
        return
    indent = " " * _INDENT * is_further
    if is_further and not line[0][0].numeric:  # text with its header before it
        if not is_header:
            first, *rest = _broken(f"{line[0][0].header}: {cells[0]}", line[0][1] - _INDENT)
            yield from (indent + first, *(indent + " " * _INDENT + each for each in rest))
        return
    # A number is one line; a header stands just above the column.
    parts = [
        [cell] if column.numeric and not is_header else _broken(cell, width)
        for cell, (column, width) in zip(cells, line, strict=True)
    ]
    height = max(map(len, parts))
    for k in range(height):
        at = [k - (height - len(part)) * is_header for part in parts]
        filled = []
        for part, i, (column, width) in zip(parts, at, line, strict=True):
            text = part[i] if 0 <= i < len(part) else ""
            spaces = " " * (width - _length(text))
            filled.append(spaces + text if column.numeric else text + spaces)
        yield indent + (" " * _GAP).join(filled)


def _laid_out(columns: Sequence[Column], room: int | None) -> tuple[list[_Line], list[str]]:
    widest = [_width(column) for column in columns]
    if room is None or _total(widest) <= room:
        return [list(zip(columns, widest, strict=True))], []
    least = list(map(_least, columns))
    total, left_out = _total(least), list[int]()
    by_level = sorted(range(len(columns)), key=lambda i: (-columns[i].minor, -i))
    for i in by_level:
        if total > room and columns[i].minor:
            left_out.append(i)
            total -= least[i] + _GAP
    for i in [*reversed(left_out)]:
        if total + least[i] + _GAP <= room:  # the room that a wider one has left
            left_out.remove(i)
            total += least[i] + _GAP
    if total > room:  # several lines have room for more
        left_out = [i for i in left_out if columns[i].minor > 1]
    wraps = total > room
    needed = [
        least[i] if column.numeric or not wraps else widest[i] for i, column in enumerate(columns)
    ]
    lines: list[list[int]] = [[]]
    for i in sorted({*range(len(columns))} - {*left_out}):
        own = room - _INDENT * (len(lines) > 1)
        # Text on a further line has it alone, with the header before it.
        is_full = _total(needed[k] for k in (*lines[-1], i)) > own
        is_alone = len(lines) > 1 and not (columns[i].numeric and columns[lines[-1][0]].numeric)
        if lines[-1] and wraps and (is_full or is_alone):
            lines.append([])
        lines[-1].append(i)
    found = []
    for place, line in enumerate(lines):
        own = room - _INDENT * (place > 0)
        if place and not columns[line[0]].numeric:
            found.append([(columns[line[0]], own)])
            continue
        widths = [min(least[i], own) for i in line]
        for k, i in enumerate(line):  # what is left of the line, from the left
            widths[k] += max(0, min(widest[i] - widths[k], own - _total(widths)))
        found.append(list(zip((columns[i] for i in line), widths, strict=True)))
    return found, [columns[i].header for i in sorted(left_out)]


def _total(widths: Iterable[int]) -> int:
    each = list(widths)
    return sum(each) + _GAP * (len(each) - 1)


def _width(column: Column) -> int:
    return max(map(_length, (column.header, *column.cells)))


def _least(column: Column) -> int:
    header = max(map(_length, column.header.split()), default=0)
    if column.numeric:
        return max(header, *map(_length, column.cells), 0)
    words = (word for cell in column.cells for word in cell.split())
    longest = min(max(map(_length, words), default=0), _LONG_WORD)
    return max(header, longest, min(_width(column), _NARROW))


def _length(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _broken(text: str, width: int) -> list[str]:
    from rich.console import Console
    from rich.text import Text

    if _length(text) <= width:
        return [text]
    return [line.plain.rstrip() for line in Text(text).wrap(Console(width=width), width)]


def _console() -> Console:
    from rich.console import Console

    _require_output()
    return Console(width=_columns(sys.stdout) if is_terminal() else _WIDTH)


def _columns(terminal: TextIO) -> int:
    """Return COLUMNS if it is set, or else what the terminal says; Rich has 80 for a dumb one."""
    given, width = os.environ.get("COLUMNS", ""), 0
    with suppress(OSError, ValueError):
        width = int(given or os.get_terminal_size(terminal.fileno()).columns)
    return max(width, _LEAST) if width > 0 else 80


def _require_output() -> None:
    if sys.stdout is None:  # where the shell has closed it, >&-
        raise OutputError("standard output is closed; expected somewhere to write to")
