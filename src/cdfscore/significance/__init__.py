"""The significance tests: one file and one R twin a test, and the files are the list.

Every module is imported here, so that ``significance.paired_t`` is the test and not the
module of that name.
"""

from __future__ import annotations

import importlib
from pathlib import Path

for _path in sorted(Path(__file__).parent.glob("*.py")):
    if not _path.stem.startswith("_"):
        globals()[_path.stem] = getattr(
            importlib.import_module(f"{__name__}.{_path.stem}"), _path.stem
        )
