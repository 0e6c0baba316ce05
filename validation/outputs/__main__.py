"""Record or compare the digests of what every command writes; 2 minutes on two cores.

``python -m validation.outputs record FILE`` runs every command of `validation.outputs.commands` and
writes the digests of its files; ``python -m validation.outputs compare FILE`` runs them again and
lists what differs, with exit status 1. ``--keep FOLDER`` keeps the files too. Digests hold for one
machine and one set of versions, which stand in the file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

from cdfscore import datasets
from validation.outputs.commands import BUNDLED, SHARED, commands

Digests = dict[str, dict[str, str]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--keep", type=Path, help="folder for the files that the commands write")
    parser.add_argument("--only", default="", help="the commands whose labels begin like this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    given.file = given.file.resolve()  # the commands are run in folders of their own
    recorded = json.loads(given.file.read_text("utf-8")) if given.what == "compare" else {}
    keep = given.keep.resolve() if given.keep else None
    found = {"versions": versions(), "digests": all_digests(given.only, given.jobs, keep)}
    if given.what == "record":
        given.file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    if recorded["versions"] != found["versions"]:
        print(f"recorded with {recorded['versions']}, now {found['versions']}", file=sys.stderr)
    before = {k: v for k, v in recorded["digests"].items() if k.startswith(given.only)}
    differing = differences(before, found["digests"])
    print(*differing, sep="\n")
    files = sum(len(files) for files in before.values())
    print(f"{len(differing)} of {files} outputs of {len(before)} commands differ")
    return int(bool(differing))


def versions() -> dict[str, str]:
    names = ("numpy", "scipy", "pandas", "statsmodels", "numba", "matplotlib")
    return {"python": platform.python_version()} | {name: version(name) for name in names}


def all_digests(only: str, jobs: int, keep: Path | None) -> Digests:
    data = _data()
    with tempfile.TemporaryDirectory() as folder:
        _link_matrices(Path(folder), data)
        os.chdir(folder)
        chosen = [(label, c) for label, c in commands(data) if label.startswith(only)]
        if not chosen:
            raise SystemExit(f"no command has a label that begins with {only!r}")
        places = [Path(folder, str(i)) for i in range(len(chosen))]
        keeps = [keep and keep / label.replace(" ", "_").replace("/", "_") for label, _ in chosen]
        with ProcessPoolExecutor(jobs) as pool:
            found = pool.map(digests, places, [c for _, c in chosen], keeps)
            return {label: digest for (label, _), digest in zip(chosen, found, strict=True)}


def digests(place: Path, command: tuple[str, ...], keep: Path | None) -> dict[str, str]:
    """Run a command in a folder of its own; return the SHA-256 of each file by its name."""
    from cdfscore.cli import command as cdfscore
    from cdfscore.errors import CdfscoreError

    shutil.copytree(place.parent, place, symlinks=True, ignore=lambda d, names: _folders(d, names))
    os.chdir(place)
    Path("out").mkdir()
    error = sys.stderr
    try:
        with Path(os.devnull).open("w") as sys.stderr:
            cdfscore()(list(command), standalone_mode=False)
    except CdfscoreError:
        return {"refused": ""}
    finally:
        sys.stderr = error
    if keep:
        shutil.copytree("out", keep, dirs_exist_ok=True)
    return {
        str(path.relative_to("out")): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(Path("out").rglob("*"))
        if path.is_file()
    }


def differences(before: Digests, now: Digests) -> list[str]:
    """Name every output that was another, or that only one of the two has."""
    return [
        f"{label}: {name}"
        for label in sorted(before.keys() | now.keys())
        for name in sorted(before.get(label, {}).keys() | now.get(label, {}).keys())
        if before.get(label, {}).get(name) != now.get(label, {}).get(name)
    ]


def _folders(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if Path(folder, name).is_dir()}


def _data() -> Path:
    beside = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    return Path(os.environ.get("CDFSCORE_DATA", beside)).resolve()


def _link_matrices(folder: Path, data: Path) -> None:
    bundled = Path(datasets.__file__).parent
    for name, source in SHARED.items():
        (folder / name).symlink_to(data / source)
    for name, source in BUNDLED.items():
        (folder / name).symlink_to(bundled / source)
    (folder / "demsar.csv").symlink_to(data / "leaderboards" / "demsar2006_auc.csv")


if __name__ == "__main__":
    sys.exit(main())
