"""Text of numbers, and with labels of systems and topics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from cdfscore.errors import CdfscoreError, alternatives

# A path, or the ending of a name.
_OF_A_FILE = re.compile(r"/|\.[A-Za-z]")
# The most characters of a value in a message; a longer one, without a quote after it.
_MOST = 100
_LONG = re.compile(rf"(?:(?<=(?<!\w)')[^']{{{_MOST + 1},}}(?='(?!\w)))|[^\s/\\'\"]{{{_MOST + 1},}}")
#: What scores are of, and on what, with a header of models and without.
MODELS, SYSTEMS = ("model", "task"), ("system", "topic")
#: The words of the scores that were read or checked last.
units = ContextVar("units", default=SYSTEMS)
# What keeps its words: what is quoted, as a user types it, and the line of the settings.
_KEPT = r"(?<!\w)'(?:[^']|(?<=\w)'(?=\w))*'(?!\w)|\"[^\"]*\"|\bSettings: .*?(?=\.(?:\s|$))"
_UNIT = re.compile(rf"{_KEPT}|(?<![\w./-])(?P<word>system|topic)(?=s?(?![\w/=-]|\.\w))", re.I)
#: Number of names in a list for a message.
_SHOWN = 5
#: Number of files that are all named.
_FILES = 3


def printable(text: str) -> str:
    """Escape characters that a line of text cannot hold, such as a line break."""
    text = str(text)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shortened(text: str) -> str:
    """Return a message with at most 100 characters of each value: of a word, or between quotes."""
    return _LONG.sub(lambda found: f"{found[0][:_MOST]}...", text)


def json_of(content: object, indent: int | None = 1) -> str:
    """Return JSON that is text in UTF-8, with escapes of what a terminal would obey or not show."""
    text = json.dumps(content, indent=indent, allow_nan=False, ensure_ascii=False)
    if text.isascii() and chr(127) not in text:
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def files(names: Sequence[str], last: str = "and") -> str:
    """Name some files: each of up to three, of more their number and the first."""
    if len(names) > _FILES:
        return f"{len(names)} files ({listed(names)})"
    return alternatives(names, last)


def notes_of_files(notes: Sequence[tuple[str, str]], count: int) -> list[str]:
    """Return notes of sources with their files; those that are alike but for the file are one."""
    sources: dict[str, list[str]] = {}
    for source, note in notes:
        sources.setdefault(note.removeprefix(f"{source}: "), []).append(source)
    return [f"{those(own, count)}: {text}" for text, own in sources.items()]


def those(sources: Sequence[str], count: int) -> str:
    """Name the files of a note, by their number alone if they are all that are read."""
    return f"{count} files" if len(sources) == count > _FILES else files(sources)


def listed(names: Sequence[str], most: int = _SHOWN) -> str:
    """List the first of the names, with an ellipsis for more."""
    return ", ".join([*names[:most], "..."] if len(names) > most else names)


def kept(*labels: str, most: int = _SHOWN) -> str:
    """List labels as `listed`, between quotes those that have a word that `in_units` would change.

    >>> kept("bm25", "my system")
    "bm25, 'my system'"
    """
    changed = (any(found["word"] for found in _UNIT.finditer(label)) for label in labels)
    pairs = zip(labels, changed, strict=True)
    return listed([repr(label) if quoted else label for label, quoted in pairs], most)


def named(labels: Sequence[str], kind: str = "topic", most: int = _SHOWN) -> str:
    """Name the first labels of a kind: "topic 301", "2 topics (301, 302)"; see `kept`."""
    names = kept(*labels, most=most)
    return f"{len(labels)} {kind}s ({names})" if len(labels) > 1 else f"{kind} {names}"


def capitalized(note: str) -> str:
    """Return a note with a capital, unless it begins with a name, as of a file."""
    name, colon, _ = note.partition(": ")
    is_name = colon and (" " not in name or _OF_A_FILE.search(name))
    is_name = is_name or _OF_A_FILE.search(note.partition(" ")[0])
    return note if is_name else note[:1].upper() + note[1:]


def written(number: float) -> str:
    """Return a number for a sentence: all its digits, and no more."""
    return repr(float(number)).removesuffix(".0")


def in_units(units: tuple[str, str], text: str) -> str:
    """Return a text of systems and topics in the words of the scores, such as models and tasks.

    What is quoted, and the line of the settings, stay.

    >>> in_units(("model", "task"), "Systems: system 'a system' on 8 topics, drop_topic")
    "Models: model 'a system' on 8 tasks, drop_topic"
    """
    if units == SYSTEMS:
        return text
    words = dict(zip(SYSTEMS, units, strict=True))

    def unit(found: re.Match[str]) -> str:
        word = words.get((found["word"] or "").lower(), found[0])
        return word.capitalize() if found[0][0].isupper() and found["word"] else word

    return _UNIT.sub(unit, text)


def each_in_units(units: tuple[str, str], texts: Iterable[str]) -> list[str]:
    """Return texts in the words of the scores; see `in_units`."""
    return [*texts] if units == SYSTEMS else [in_units(units, text) for text in texts]


@contextmanager
def worded(*, anew: bool = False) -> Iterator[None]:
    """Let errors have the words of the scores that were read last; within, if they are `anew`."""
    if anew:
        units.set(SYSTEMS)
    try:
        yield
    except CdfscoreError as error:
        error.args = (in_units(units.get(), str(error)),)
        raise


def counted(number: int, noun: str) -> str:
    """Return a number and its noun, with an s unless it is one."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def part_of(number: int, whole: int, noun: str) -> str:
    """Return a number, and of how many it is."""
    return f"{number:,} of {counted(whole, noun)}"


def a_type(value: object) -> str:
    """Return the name of the type of a value with its article, for a message."""
    if value is None:
        return "None"
    name = type(value).__name__
    spoken = name.lower().lstrip("_")
    # An n is spoken "en" before another consonant, as in ndarray.
    return f"{'an' if spoken.startswith(('a', 'e', 'i', 'o', 'nd')) else 'a'} {name}"


def number(text: str) -> float | None:
    """Read a decimal number, or return None; no underscores, no digits of other scripts."""
    if not text.isascii() or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None
