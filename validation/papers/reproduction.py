"""The papers' numbers beside ours: docs/reproduction.md, docs/webber2008.md, docs/urbano2019.md.

``python -m validation.papers.reproduction`` computes the numbers from the score files, keeps them
in ``recorded``, and writes the pages; it takes a minute of one core. With ``--page`` it writes the
pages from the numbers that are kept, without the score files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from validation import pages
from validation.papers import (
    beside_urbano2019,
    beside_webber2008,
    recorded_urbano2019,
    recorded_webber2008,
)

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Compute the numbers unless ``--page`` is given, and write the pages."""
    if "--page" not in sys.argv[1:]:
        data = Path(os.environ.get("CDFSCORE_DATA", ROOT.parent / "shared" / "data"))
        for folder, files in computed(data):
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                (folder / name).write_bytes(content)
    for name, page in written().items():
        (ROOT / name).write_text(page, encoding="utf-8")


def computed(data: Path) -> Iterator[tuple[Path, dict[str, bytes]]]:
    """Yield each folder of kept numbers, and its files."""
    yield recorded_webber2008.FOLDER, recorded_webber2008.computed(data)
    yield recorded_urbano2019.FOLDER, recorded_urbano2019.computed(data)


def written() -> dict[str, str]:
    """Return the pages, by their names in the repository."""
    both = beside_webber2008.values() | beside_urbano2019.values()
    return {
        "docs/reproduction.md": pages.rendered("papers/reproduction.md.jinja", **both),
        "docs/webber2008.md": pages.rendered(
            "papers/webber2008.md.jinja", beside_webber2008.claims(), **beside_webber2008.values()
        ),
        "docs/urbano2019.md": pages.rendered(
            "papers/urbano2019.md.jinja", beside_urbano2019.claims(), **beside_urbano2019.values()
        ),
    }


if __name__ == "__main__":
    main()
