"""Files: their names and digests, what they are by their first bytes, and how large they get."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import os
import platform
import re
import secrets
import stat
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from cdfscore.common.text import a_type, counted, printable
from cdfscore.errors import CdfscoreError, OutputError, ScoresError, alternatives


def source_name(path: str | Path) -> str:
    """Return the name of an input for a message, quoted if it is empty or has a space."""
    name = str(path)
    return "standard input" if name == "-" else f"'{name}'" if " " in name or not name else name


@contextmanager
def readable(path: str | Path, kind: type[CdfscoreError]) -> Iterator[None]:
    """Raise an error of this kind, of one sentence, where `path` cannot be read."""
    path_of(path, kind)
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError for a NUL in the name
        reason = getattr(error, "strerror", None) or error
        if isinstance(error, UnicodeDecodeError):
            reason = "it is not text in UTF-8"
        raise kind(f"{source_name(path)} cannot be read: {reason}") from error


def path_of(path: object, kind: type[CdfscoreError]) -> Path:
    """Return an argument as a path; raises an error of this kind if it is no name of a file."""
    if not isinstance(path, str | os.PathLike):
        raise kind(f"the file is {a_type(path)}; expected the name of a file")
    return Path(path)


def check_ending(path: str | Path, endings: Collection[str]) -> str:
    """Return the ending of `path` in lower case; raises `OutputError` if it is another."""
    found = path_of(path, OutputError).suffix
    if found.lower() not in map(str.lower, endings):
        expected = f"expected {alternatives(list(filter(None, endings)))}"
        if str(path) == "-":
            raise OutputError(f"standard output is not accepted here; {expected}")
        raise OutputError(f"{path} ends in {found!r}; {expected}")
    return found.lower()


_DIGESTS: ContextVar[dict[str, str] | None] = ContextVar("digests", default=None)


@contextmanager
def digests_of_what_is_read() -> Iterator[dict[str, str]]:
    """Give a dictionary that gets the SHA-256 digest of each file that is read, by its path.

    A second reading for the digest would be of other bytes where a file changes, and of none where
    it is a pipe.
    """
    digests: dict[str, str] = {}
    token = _DIGESTS.set(digests)
    try:
        yield digests
    finally:
        _DIGESTS.reset(token)


def read_bytes(path: str | Path, stream: BinaryIO | None = None) -> bytes:
    """Return the bytes of a file, or of the `stream` of that name; raises `OSError`."""
    content = Path(path).read_bytes() if stream is None else stream.read()
    if (digests := _DIGESTS.get()) is not None:
        digests[str(path)] = hashlib.sha256(content).hexdigest()
    return content


#: Cells of a matrix, as doubles 256 MiB, that any file may ask for; beyond it counts how many
#: scores the file has.
CELLS = 1 << 25
#: Cells of a matrix for each score, and bytes of content for each byte of a file, at most.
RATIO = 100
#: Bytes that any file may have when it is decompressed.
BYTES = 1 << 28


def too_sparse(rows: int, columns: int, given: int) -> bool:
    """Tell whether a matrix is too large for the number of its cells that are given."""
    return rows * columns > most_cells(given)


def most_cells(given: int) -> int:
    """Return how many cells a matrix may have of which so many are given."""
    return max(CELLS, RATIO * given)


def refuse_sparse(source: str, topics: int, systems: int, scores: int) -> None:
    """Raise `ScoresError` where rows with a score each would make too large a matrix."""
    if too_sparse(topics, systems, scores):
        raise ScoresError(
            f"{source} has {scores:,} scores, of {systems:,} systems on {topics:,} topics; "
            "expected a score for 1 % or more of all pairs of a topic and a system"
        )


def most_bytes(size: int) -> int:
    """Return how many bytes a file of this size may have when it is decompressed."""
    return max(BYTES, RATIO * size)


_BOM = b"\xef\xbb\xbf"
#: The bytes at the beginning of a gzip file.
GZIP = b"\x1f\x8b"
_CODECS = {GZIP: "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
# Bytes that are decompressed at a time.
_PIECE = 1 << 20


class Signature(NamedTuple):
    """What a file is whose content begins like this, and what to do about it."""

    what: str
    beginning: bytes
    remedy: str
    #: Only of files with such an ending, in lower case.
    endings: tuple[str, ...] = ("",)


#: Endings of the data files of R, which gzip, bzip2 or xz compress.
DATA_OF_R = (".rds", ".rda", ".rdata")
_AGAIN = "download the file itself"
_FROM_R = "write.csv(scores, FILE, row.names = FALSE) writes a CSV file in R"
#: Files under the names of others: without them, a message would be about their first bytes.
SIGNATURES = (
    Signature("an R data file", rb"\x1f\x8b|BZh|\xfd7zXZ\0", _FROM_R, DATA_OF_R),
    Signature("an R data file", rb"X\n\0\0|RD[XA]\d\n", _FROM_R),
    Signature("compressed by gzip", rb"\x1f\x8b", "gunzip decompresses it"),
    Signature("compressed by zstd", rb"\x28\xb5\x2f\xfd", "zstd -d decompresses it"),
    Signature("compressed by bzip2", rb"BZh\d", "bunzip2 decompresses it"),
    Signature("compressed by xz", rb"\xfd7zXZ\0", "unxz decompresses it"),
    Signature("compressed by lz4", rb"\x04\"M\x18", "lz4 -d decompresses it"),
    Signature("a tar archive", rb"(?s).{257}ustar", "tar -xf takes the files out"),
    Signature("a 7z archive", rb"7z\xbc\xaf\x27\x1c", "7z x takes the files out"),
    Signature(
        "an Excel workbook or a zip archive",
        rb"PK\x03\x04",
        "Excel saves a sheet as a CSV file, and unzip takes files out of an archive",
    ),
    Signature("an old Excel workbook", rb"\xd0\xcf\x11\xe0", "Excel saves a sheet as a CSV file"),
    Signature(
        "a Parquet file",
        rb"PAR1(?![ -~\t])",
        "a Parquet file of scores is known by the ending .parquet",
    ),
    Signature(
        "a CSV file of Excel whose first line is no header and names the separator",
        rb"(?i)(?:\xef\xbb\xbf)?\"?sep=[^\r\n]?\"?[,;\t]*[\r\n]",
        "sed 1d FILE > NEW leaves this line out",
    ),
    Signature("text in UTF-16", rb"\xff\xfe|\xfe\xff", "iconv -f UTF-16 -t UTF-8 converts it"),
    Signature("a pickle of Python", rb"\x80[\x02-\x05]", "give the object itself in Python"),
    Signature("an array of NumPy", rb"\x93NUMPY", "give the array itself in Python"),
    Signature(
        "a pointer of Git LFS, and not the file that it stands for",
        rb"version https://git-lfs\.github\.com/spec/",
        "git lfs pull fetches the file",
    ),
    Signature(
        "an HTML page, as of an error or a log-in",
        rb"(?i)\s*<(?:!doctype html|html|head|body)\b",
        _AGAIN,
    ),
    Signature("an answer of a web server, and no file", rb"\s*(?:<\?xml|[45]\d\d: [A-Z])", _AGAIN),
    Signature(
        "the report of trec_eval -o, or of trec_eval 7",
        rb"\s*Queryid \(Num\)",
        "trec_eval -q without -o writes the scores of topics",
    ),
)
_KNOWN = [(each, re.compile(each.beginning)) for each in SIGNATURES]


def bytes_of(path: str | Path, kind: type[CdfscoreError], what: str) -> bytes:
    """Return the bytes of a file, or of standard input, ``-``; raises an error of this kind."""
    with readable(path, kind):
        if str(path) != "-":
            return read_bytes(path)
        if sys.stdin is not None:
            return read_bytes(path, sys.stdin.buffer)
    raise kind(f"standard input is closed; expected {what}")


def lines_in(path: str | Path, kind: type[CdfscoreError], what: str) -> tuple[bytes, list[str]]:
    r"""Read a file of lines, plain or compressed by gzip or zstd; all its lines end in ``\n``."""
    source = source_name(path)
    content = decompressed(source, bytes_of(path, kind, what), kind)
    refuse_others(source, content, kind, "text in UTF-8, plain or compressed by gzip or zstd")
    return with_one_line_end(without_marks(content)), marked(source, content)


def decompressed(source: str, content: bytes, kind: type[CdfscoreError]) -> bytes:
    """Return content without gzip or zstd; data files of R are left, which are refused by name."""
    of_r = source.lower().endswith(DATA_OF_R)
    for begin, codec in _CODECS.items():
        if content.startswith(begin) and not (codec == "gzip" and of_r):
            return unpacked(source, content, codec, kind)
    return content


def refuse_others(source: str, content: bytes, kind: type[CdfscoreError], expected: str) -> None:
    """Raise an error of this kind for content that is in `SIGNATURES`."""
    for each, beginning in _KNOWN:
        if beginning.match(content) and source.lower().endswith(each.endings):
            raise kind(f"{source} is {each.what}: {each.remedy}; expected {expected}")


def without_marks(content: bytes) -> bytes:
    """Leave out the byte order marks of UTF-8 at the beginning of a line, as of joined files."""
    if _BOM not in content:
        return content
    for end in (b"\n", b"\r"):
        content = content.replace(end + _BOM, end)
    return content.removeprefix(_BOM)


def marked(source: str, content: bytes) -> list[str]:
    """Return the note on byte order marks inside a file, which `without_marks` leaves out."""
    inside = [end.end() for end in re.finditer(rb"[\r\n](?=\xef\xbb\xbf)", content)]
    if not inside:
        return []
    first = len(re.findall(rb"\r\n?|\n", content[: inside[0]])) + 1
    which = f"{counted(len(inside), 'byte order mark')} inside the file"
    return [
        f"{source}: {which}, as of joined files, {'are' if len(inside) > 1 else 'is'} left out"
        f"{', first' if len(inside) > 1 else ','} in line {first}"
    ]


def with_one_line_end(content: bytes) -> bytes:
    r"""Return lines that end in ``\n``, where ``\r\n`` and ``\r`` alone end a line as well."""
    if b"\r" not in content:
        return content
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def unpacked(source: str, content: bytes, codec: str, kind: type[CdfscoreError]) -> bytes:
    """Decompress by zstd, or Python's gzip: Arrow refuses zero bytes that pad files of blocks."""
    import pyarrow as pa

    limit, size = most_bytes(len(content)), 0
    pieces: list[bytes] = []
    try:
        packed: Any = gzip.GzipFile(fileobj=io.BytesIO(content))
        if codec != "gzip":
            packed = pa.CompressedInputStream(pa.BufferReader(content), codec)
        with packed as stream:
            while size <= limit and (piece := stream.read(_PIECE)):
                pieces.append(piece)
                size += len(piece)
    except (EOFError, OSError, zlib.error) as error:
        reason = " ".join(str(error).split())
        raise kind(
            f"{source} is damaged, and cannot be decompressed by {codec}: {reason}"
        ) from error
    if size > limit:
        raise kind(
            f"{source} has {len(content):,} bytes, and more than {limit:,} when it is "
            f"decompressed; expected no more than {RATIO} times its size, or the file without "
            "compression"
        )
    return b"".join(pieces)


# Writing ------------------------------------------------------------------------------------------


#: What the names of temporary files begin and end with.
PREFIX = f".cdfscore-{hashlib.sha256(platform.node().encode()).hexdigest()[:6]}-"
FILE = ".part"
_NAMES = re.compile(rf"{re.escape(PREFIX)}\w+\{FILE}")

if sys.platform == "win32":

    def hold(descriptor: int, *, wait: bool = True) -> bool:
        """Return False: there are no locks that the end of a process gives back."""
        return False

else:
    import fcntl

    def hold(descriptor: int, *, wait: bool = True) -> bool:
        """Lock an open file until it is closed; tell whether that was possible."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            return False
        return True


@cache
def remove_leftovers(folder: Path) -> None:
    """Remove what killed processes have left in a folder; looked for once in a process."""
    with suppress(OSError):
        for path in [path for path in folder.iterdir() if _NAMES.fullmatch(path.name)]:
            with suppress(OSError):
                _remove_unheld(path)


def _remove_unheld(path: Path) -> None:
    if not path.is_file() or path.is_symlink():
        return  # a pipe would wait for a writer
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if hold(descriptor, wait=False):
            path.unlink()
    finally:
        os.close(descriptor)


_STANDARD_OUTPUT = (Path("-"), Path("/dev/stdout"))
# These name open streams, which may be files that others write to as well.
_OPEN_FILES = (Path("/dev/stderr"), Path("/dev/fd"), Path("/proc"))


def write_whole(contents: Mapping[Path, bytes | Iterable[bytes]], mode: int = 0o666) -> None:
    """Write each content to a temporary file next to its path, sync it, and rename it.

    No path is changed before all contents, whole or in pieces, are on disk. Pipes and devices are
    written after the files, and standard output, ``-``, last. Files have `mode` less the umask.
    """
    streams = [path for path in contents if _is_stream(path)]
    targets = {path: _target(path) for path in contents if path not in streams}
    if len(set(targets.values())) < len(targets):
        raise OutputError(
            f"{' and '.join(map(str, targets))} are the same file; expected different ones"
        )
    with ExitStack() as undo:
        renames = []
        for path, target in targets.items():
            remove_leftovers(target.parent)
            try:
                beside, stream, is_held = _beside(target, mode, undo)
                stream.writelines(_pieces(contents[path]))
                stream.flush()
                os.fsync(stream.fileno())
                if not is_held:  # an open file cannot be renamed on Windows
                    stream.close()
            except OSError as error:
                raise _cannot_write(path, error) from error
            renames.append((path, beside, target))
        for path, beside, target in renames:
            try:
                beside.replace(target)
            except OSError as error:
                raise _cannot_write(path, error) from error
    for path in sorted(streams, key=_STANDARD_OUTPUT.__contains__):
        _write_stream(path, contents[path])


def _beside(target: Path, mode: int, undo: ExitStack) -> tuple[Path, BinaryIO, bool]:
    """Open a new file next to a target, held until the end so that no other process removes it."""
    while True:
        beside = target.with_name(f"{PREFIX}{secrets.token_hex(8)}{FILE}")
        undo.callback(_remove, beside)
        new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        stream = os.fdopen(os.open(beside, new, mode), "wb")
        undo.callback(_close, stream)
        is_held = hold(stream.fileno())
        if not is_held or os.fstat(stream.fileno()).st_nlink:
            return beside, stream, is_held
        stream.close()  # another process was faster, and took it for a leftover


def _pieces(content: bytes | Iterable[bytes]) -> Iterable[bytes]:
    return [content] if isinstance(content, bytes) else content


def check_target(path: Path) -> None:
    """Raise `OutputError` before long work where `write_whole` finds no folder for the file."""
    if _is_stream(path):
        return
    folder = _target(path).parent
    try:
        folder.stat()
    except FileNotFoundError as error:
        missing = folder if path.is_symlink() else path.parent
        raise OutputError(
            f"{path} cannot be written: there is no folder {missing}; expected one that exists"
        ) from error
    except OSError as error:
        raise _cannot_write(path, error) from error
    if not os.access(folder, os.W_OK):
        raise OutputError(f"{path} cannot be written: {os.strerror(errno.EACCES)}")


def _is_stream(path: Path) -> bool:
    if path in _STANDARD_OUTPUT or any(path.is_relative_to(each) for each in _OPEN_FILES):
        return True
    with suppress(OSError, ValueError):
        return path.exists() and not path.is_file() and not path.is_dir()
    return False


def _target(path: Path) -> Path:
    mode = 0
    try:
        target = path.resolve()
        with suppress(FileNotFoundError):
            mode = target.lstat().st_mode
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the name; a loop of links
        raise _cannot_write(path, error) from error
    if stat.S_ISLNK(mode):  # a loop of links, from Python 3.13 on
        raise OutputError(f"{path} cannot be written: {os.strerror(errno.ELOOP)}")
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a folder; expected the name of a file to write")
    return target


def _write_stream(path: Path, content: bytes | Iterable[bytes]) -> None:
    try:
        if path not in _STANDARD_OUTPUT:
            with path.open("ab") as stream:
                stream.writelines(_pieces(content))
        elif sys.stdout is not None:
            pieces = _pieces(content)
            if sys.stdout.isatty():
                pieces = map(_for_terminal, pieces)
            sys.stdout.buffer.writelines(pieces)
            sys.stdout.buffer.flush()
        else:
            raise OutputError("standard output is closed; expected the name of a file to write")
    except BrokenPipeError:
        raise  # the reader is gone, so that no message is needed
    except OSError as error:
        name = "standard output" if path in _STANDARD_OUTPUT else path
        raise _cannot_write(name, error) from error


def _for_terminal(content: bytes) -> bytes:
    lines = content.decode(errors="surrogateescape").split("\n")
    cells = ("\t".join(map(printable, line.split("\t"))) for line in lines)
    return "\n".join(cells).encode(errors="backslashreplace")


def _cannot_write(path: Path | str, error: Exception) -> OutputError:
    return OutputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}")


def _close(stream: BinaryIO) -> None:
    with suppress(OSError):
        stream.close()


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
