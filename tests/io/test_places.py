"""Lines of missing scores, for messages."""

from pathlib import Path

import pytest

from cdfscore.scores.reading import line_of_missing

WIDE = "topic,a,b\n301,0.1,0.2\n302,0.3,\n"
SYSTEMS = "system,301,302\na,0.1,0.3\nb,0.2,NA\n"
LONG = "topic,system,score\n301,a,0.1\n301,b,0.2\n302,a,0.3\n"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (WIDE, 3),
        (SYSTEMS, 3),
        ('"topic\nid",a,b\n301,0.1,0.2\n302,0.3,\n', 4),
        (LONG, None),
        (WIDE.replace("302,0.3,", "302,0.3,0.4"), None),
        (WIDE.replace("0.3", "word"), None),
        (b"\x89PNG\r\n", None),
    ],
)
def test_the_line_is_that_of_the_file_or_none(
    tmp_path: Path, content: str | bytes, line: int | None
) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert line_of_missing(path, "302", "b") == line


def test_a_file_that_is_not_there_has_no_line(tmp_path: Path) -> None:
    assert line_of_missing(tmp_path / "none.csv", "302", "b") is None
