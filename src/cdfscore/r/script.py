"""The analysis as a stand-alone script in base R, for readers without Python."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from cdfscore._version import __version__
from cdfscore.r.analysis import SOURCES, Analysis
from cdfscore.r.session import twin_file
from cdfscore.scores.layout import Layout

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class TextFile:
    """A score matrix as text: where it is, and how it is laid out."""

    path: Path
    layout: Layout

    @property
    def md5(self) -> str:
        """The digest by which the script knows the file; R has no better one built in."""
        return hashlib.md5(self.path.read_bytes(), usedforsecurity=False).hexdigest()


class _Template(string.Template):
    """An R file in which ``@name`` stands for a literal; R's own ``$`` means nothing here."""

    delimiter = "@"


def encode_script(analysis: Analysis, files: list[TextFile], name: str) -> bytes:
    """Return the script `name` for the scores and, where they are others, the reference.

    Run as ``Rscript name scores.csv [reference.csv]`` it reads these files exactly, and
    writes CSV: quantity, topic, system, and the value with 17 significant digits.
    """
    settings = analysis.scheme.settings()
    numbers = {k: repr(float(v)) for k, v in settings.items() if not isinstance(v, str)}
    words = {k: v for k, v in settings.items() if isinstance(v, str)}
    sources = [
        twin_file(analysis.scheme),
        *SOURCES,
        _FOLDER / "reading.R",
        _FOLDER / "writing.R",
    ]
    template = _Template((_FOLDER / "script.R").read_text(encoding="utf-8"))
    return template.substitute(
        version=__version__,
        script=" ".join(name.split()),  # in a comment, which a line break would end
        arguments=" ".join(["scores.csv", "reference.csv"][: len(files)]),
        scheme=" ".join(str(analysis.scheme).split()),
        sources="\n".join(f"# ---- {p.name}\n{p.read_text(encoding='utf-8')}" for p in sources),
        numbers=_named(numbers),
        words=_named(words),
        files=", ".join(map(_file, files)),
        degenerate=_literal(analysis.degenerate_in_r),
        missing=_literal(analysis.missing),
    ).encode()


def _file(file: TextFile) -> str:
    return f"list({_named({'md5': file.md5})}, layout = list({_named(asdict(file.layout))}))"


def _named(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {_literal(value)}" for name, value in values.items())


def _literal(value: object) -> str:
    """Return a text, truth value or whole number as R writes it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{text}"'
