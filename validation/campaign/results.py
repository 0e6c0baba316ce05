"""The recorded results: a JSON file a scheme."""

from __future__ import annotations

import json
import math
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cdfscore import __version__
from cdfscore.r.session import RSession

FOLDER = Path(__file__).resolve().parents[1] / "results"


def write(data: dict[str, Any], folder: Path = FOLDER) -> None:
    """Write what was found for a scheme to the file of its spelling."""
    folder.mkdir(exist_ok=True)
    text = json.dumps(_plain(data), indent=1, ensure_ascii=False, allow_nan=False)
    stem = re.sub(r"[^\w.-]+", "_", data["spelling"])
    (folder / f"{stem}.json").write_text(text + "\n", encoding="utf-8")


def read_all(folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Return every recorded result, by the spelling of the scheme: without settings first."""
    files = (json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json"))
    return sorted(files, key=lambda data: (":" in data["spelling"], data["spelling"]))


def versions(r: RSession) -> dict[str, str]:
    """Name what the results depend on."""
    info = r.rinterface.baseenv["R.version"]
    parts = dict(zip(info.names, info, strict=True))
    packages = ("rpy2-rinterface", "numpy", "scipy", "mpmath")
    return {
        "R": f"{parts['major'][0]}.{parts['minor'][0]}",
        "Python": platform.python_version(),
        "cdfscore": __version__,
        **{name: version(name) for name in packages},
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _plain(value: Any) -> Any:
    """Return data that JSON holds: Infinity and NaN are spelled as text."""
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
