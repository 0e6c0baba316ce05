"""The commands that meet faults: their words, the files that they write, and how they end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cdfscore import datasets, save_factors, write_scores
from cdfscore.standardization.standardizer import Standardizer

ROOT = Path(__file__).resolve().parents[2]
CDFSCORE = [sys.executable, "-m", "cdfscore"]
# Longer than any of them takes on a machine that is busy.
PATIENCE = 300
#: What is written, relative to the folder of outputs, which every command calls ``out``.
OUT = "out"
_CELL = "01-within/terabyte2006_ap"


@dataclass(frozen=True)
class Command:
    """A command in a folder with the inputs; it writes `files` in ``out``."""

    name: str
    words: tuple[str, ...]
    files: tuple[str, ...]
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ended:
    """How a command has ended: its status, what it said, and its files, None where absent."""

    status: int
    said: str
    files: Mapping[str, bytes | None]


STANDARDIZE = Command(
    "standardize",
    (
        "standardize",
        "scores.csv",
        "--scheme",
        "empirical",
        "-o",
        "out/y.csv",
        "--save-factors",
        "out/f.json",
    ),
    ("y.csv", "f.json"),
)
STREAM = Command(
    "standardize --stream",
    ("standardize", "long.parquet", "--stream", "--scheme", "empirical", "-o", "out/y.parquet"),
    ("y.parquet",),
)
LOGSPLINE = Command(
    "standardize, compiled",
    ("standardize", "scores.csv", "--scheme", "logspline", "-o", "out/y.csv"),
    ("y.csv",),
)
APPLY = Command("apply", ("apply", "f.json", "scores.csv", "-o", "out/y.csv"), ("y.csv",))
COMMANDS = (
    STANDARDIZE,
    STREAM,
    APPLY,
    Command(
        "compare",
        ("compare", "scores.csv", "--test", "paired_t", "-o", "out/pairs.csv"),
        ("pairs.csv",),
    ),
    Command(
        "report",
        ("report", "scores.csv", "--scheme", "normal", "-o", "out/report.html"),
        ("report.html",),
    ),
    Command(
        "measure",
        (
            "measure",
            "a.run",
            "b.run",
            "--qrels",
            "qrels.txt",
            "--measure",
            "AP",
            "-o",
            "out/ap.csv",
        ),
        ("ap.csv",),
    ),
    Command(
        "merge",
        (
            "merge",
            "a.run",
            "b.run",
            "--normalize",
            "minmax",
            "--duplicates",
            "best",
            "-o",
            "out/merged.run",
        ),
        ("merged.run",),
    ),
)


FIGURES = tuple(
    Command(f"plot {kind}", ("plot", kind, "scores.csv", *more, "-o", "out/f.svg"), ("f.svg",))
    for kind, *more in (("means", "--scheme", "normal"), ("scores",))
)


def reproduce(data: Path, *more: str, trials: int = 500) -> Command:
    """Return the command for one cell of Urbano et al. (2019), in chunks of 250 trials."""
    return Command(
        "reproduce",
        (
            "reproduce",
            "urbano2019",
            "--data",
            str(data),
            "--out",
            OUT,
            "--experiment",
            "within",
            "--collection",
            "terabyte2006",
            "--measure",
            "ap",
            "--trials",
            str(trials),
            *more,
        ),
        tuple(f"{_CELL}/{name}.csv" for name in ("tau", "tauAP", "r", "power")),
    )


def prepare(folder: Path) -> Path:
    """Write the inputs of all commands to a folder, and make the folder of outputs."""
    import numpy as np

    (folder / OUT).mkdir(parents=True)
    scores = datasets.load_cranfield("ap").iloc[:12, :30]
    write_scores(scores, folder / "scores.csv")
    save_factors(Standardizer("empirical").fit(scores, measure="ap"), folder / "f.json")
    rows = scores.reset_index().melt("topic", var_name="system", value_name="score")
    many = rows.loc[np.repeat(rows.index, 20)].reset_index(drop=True)
    many["topic"] = many["topic"].astype(str) + "-" + (many.index % 20).astype(str)
    many.to_parquet(folder / "long.parquet")
    random = np.random.default_rng(7)
    qrels, runs = [], {"a": list[str](), "b": list[str]()}
    for topic in range(1, 6):
        qrels += [f"{topic} 0 d{doc} {int(random.random() < 0.3)}" for doc in range(30)]
        for name, lines in runs.items():
            order = random.permutation(30)
            lines += [f"{topic} Q0 d{d} {r} {30 - r}.5 {name}" for r, d in enumerate(order, 1)]
    (folder / "qrels.txt").write_text("\n".join(qrels) + "\n")
    for name, lines in runs.items():
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n")
    return folder


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a command: this tree, and what a fault adds."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    before = more.pop("PYTHONPATH", None)
    return {
        **os.environ,
        "PYTHONPATH": path if before is None else os.pathsep.join([before, path]),
        **more,
    }


def start(
    command: Command, folder: Path, prefix: tuple[str, ...] = (), **more: str
) -> subprocess.Popen[str]:
    """Start a command in a folder, under a prefix such as that of another clock."""
    return subprocess.Popen(
        [*prefix, *CDFSCORE, *command.words],
        cwd=folder,
        env=environment(**more),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], command: Command, folder: Path) -> Ended:
    """Wait for a command, and read what it has written."""
    _, said = process.communicate(timeout=PATIENCE)
    return Ended(process.returncode, said, files(command, folder))


def run(command: Command, folder: Path, prefix: tuple[str, ...] = (), **more: str) -> Ended:
    """Run a command to its end."""
    return finish(start(command, folder, prefix, **more), command, folder)


def files(command: Command, folder: Path) -> dict[str, bytes | None]:
    """Return the content of each file of a command, None where it is absent."""
    paths = {name: folder / OUT / name for name in command.files}
    return {n: path.read_bytes() if path.exists() else None for n, path in paths.items()}


def emptied(folder: Path) -> Path:
    """Empty the folder of outputs."""
    for path in (folder / OUT).iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return folder
