"""Files that are cut, or have a flipped bit: factors, cached trials, and what is compiled."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from cdfscore.datasets import load_cranfield
from cdfscore.errors import FactorsError
from cdfscore.experiments.trials import CachedChunks
from cdfscore.standardization.formats import (
    encode_factors,
    load_factors,
    save_factors,
    write_trec_eval_factors,
)
from cdfscore.standardization.standardized import Factors
from cdfscore.standardization.standardizer import Standardizer
from tests.moments import write_moments
from validation.faults.commands import APPLY, LOGSPLINE, OUT, Command, emptied, run
from validation.faults.judge import REFUSED, SAME, Files, Row, ended, require, sentence, sound
from validation.faults.killed import SHIM

#: Numbers of another file were read as data, which formats of others cannot tell.
OTHER = "other numbers"
#: The file of which that may be.
READ_AS_DATA = "zscores.txt"
Damage = Callable[[bytes, random.Random], bytes]


def flipped(content: bytes, random_: random.Random) -> bytes:
    """Return the content with one other bit."""
    place = random_.randrange(len(content))
    return (
        content[:place] + bytes([content[place] ^ 1 << random_.randrange(8)]) + content[place + 1 :]
    )


def cut(content: bytes, random_: random.Random) -> bytes:
    """Return the beginning of the content."""
    return content[: random_.randrange(len(content))]


DAMAGES: dict[str, Damage] = {"a flipped bit": flipped, "cut": cut}


def factors_read(folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    """Read damaged files of factors of each format."""
    scores = load_cranfield("ap").iloc[:8, :6]
    factors = Standardizer("normal").fit(scores, measure="ap")
    files: dict[str, Callable[[Path], None]] = {
        "factors.json": lambda path: save_factors(factors, path),
        "factors.tar.gz": lambda path: write_moments([factors], path),
        READ_AS_DATA: lambda path: write_trec_eval_factors([factors], path),
    }
    for name, write in files.items():
        path = folder / name
        write(path)
        content = path.read_bytes()
        same = _content(load_factors(path))
        for how, damage in DAMAGES.items():
            row = Row(f"{how}: {name}", "load_factors")
            for _ in range(cases):
                damaged = damage(content, random_)
                path.write_bytes(damaged)
                try:
                    read = _content(load_factors(path))
                except FactorsError:
                    row.outcomes[REFUSED] += 1
                    continue
                if read == same:
                    row.outcomes[SAME] += 1
                elif name == READ_AS_DATA:  # text of others, without a place for a digest
                    row.outcomes[OTHER] += 1
                else:
                    row.findings.append(f"{how}: other factors of {len(damaged)} bytes")
            yield row
        path.write_bytes(content)


def _content(factors: Factors) -> bytes:
    return encode_factors(factors)


def factors_applied(folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    """Apply damaged factors by the command."""
    path = folder / "f.json"
    content = path.read_bytes()
    expected = sound(APPLY, folder)
    for how, damage in DAMAGES.items():
        row = Row(f"{how}: factors", APPLY.name)
        for _ in range(cases):
            path.write_bytes(damage(content, random_))
            _judge(row, APPLY, emptied(folder), expected)
        yield row
    path.write_bytes(content)


def chunks_read(folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    """Read damaged chunks of trials: the very numbers, or none, so that they are run again."""
    results = {
        "tau": np.linspace(0, 1, 250 * 6).reshape(250, 6),
        "trial": np.arange(250),
        "rejected": np.arange(500).reshape(250, 2) % 3,
    }
    store = CachedChunks(folder / "chunks", "digest", "code")
    store.write(range(250), results)
    (path,) = (folder / "chunks").rglob("*.npz")
    content = path.read_bytes()
    for how, damage in DAMAGES.items():
        row = Row(f"{how}: cached trials", "CachedChunks.read")
        for _ in range(cases):
            path.write_bytes(damage(content, random_))
            read = store.read(range(250))
            if read is None:
                row.outcomes["not used"] += 1
            elif all(np.array_equal(read[name], results[name]) for name in results):
                row.outcomes[SAME] += 1
            else:
                row.findings.append(f"{how}: other numbers")
        yield row


def trials_resumed(
    command: Command, folder: Path, cases: int, random_: random.Random
) -> Iterator[Row]:
    """Resume from cached trials of which one file is damaged."""
    expected = sound(command, folder)
    kept = folder / "kept"
    cached(command, folder, kept)
    for how, damage in DAMAGES.items():
        row = Row(f"{how}: cached trials", f"{command.name} --resume")
        for _ in range(cases):
            emptied(folder)
            shutil.copytree(kept, folder / OUT, dirs_exist_ok=True)
            path = random_.choice(sorted((folder / OUT).rglob("*.npz")))
            path.write_bytes(damage(path.read_bytes(), random_))
            _judge(row, command, folder, expected)
        yield row


def cached(command: Command, folder: Path, kept: Path) -> None:
    """Keep what a killed run has left when all its chunks were cached."""
    more = {"PYTHONPATH": SHIM, "FAULTS_FOLDER": str(folder / OUT / "01-within")}
    run(command, emptied(folder), FAULTS_KILL_AT="1", **more)  # when it makes the folder of results
    shutil.copytree(folder / OUT, kept)
    require(len(list(kept.rglob("*.npz"))) == 2, "no state with cached trials was met")


def compiled(folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    """Call functions whose files, of those that are loaded, are damaged."""
    cache, kept = folder / "numba", folder / "numba-kept"
    expected = sound(LOGSPLINE, folder, NUMBA_CACHE_DIR=str(kept))
    loaded = _loaded(folder, kept)
    for how, damage in DAMAGES.items():
        row = Row(f"{how}: numba's cache", LOGSPLINE.name)
        for _ in range(cases):
            shutil.rmtree(cache, ignore_errors=True)
            shutil.copytree(kept, cache)
            path = cache / random_.choice(loaded)
            path.write_bytes(damage(path.read_bytes(), random_))
            _judge(row, LOGSPLINE, emptied(folder), expected, NUMBA_CACHE_DIR=str(cache))
        yield row


def _loaded(folder: Path, kept: Path) -> list[Path]:
    """Return the files that the command reads: functions within others are part of theirs."""
    trace = folder / "opened"
    script = Path(__file__).parent / "shims" / "reading"
    run(
        LOGSPLINE,
        emptied(folder),
        NUMBA_CACHE_DIR=str(kept),
        PYTHONPATH=str(script),
        FAULTS_FOLDER=str(kept),
        FAULTS_COUNTED=str(trace),
    )
    return sorted({Path(line).relative_to(kept) for line in trace.read_text().splitlines()})


def _judge(row: Row, command: Command, folder: Path, expected: Files, **more: str) -> None:
    with row.case():
        found = run(command, folder, **more)
        row.outcomes[how := ended(found, expected)] += 1
        if how == REFUSED:
            row.said[sentence(found)] += 1
