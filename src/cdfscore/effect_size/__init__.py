"""Effect sizes of a difference of two systems: one file and one R twin each.

Every module is imported here, so that ``effect_size.d_z`` is the function and not the module
of that name.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from cdfscore.effect_size._measure import EffectSize as EffectSize

for _path in sorted(Path(__file__).parent.glob("*.py")):
    if not _path.stem.startswith("_"):
        globals()[_path.stem] = getattr(
            importlib.import_module(f"{__name__}.{_path.stem}"), _path.stem
        )
