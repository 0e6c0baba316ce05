"""``make mutants``: draw mutants of six packages, and see which the tests notice.

``python -m validation.mutation [--package P]... [--number N] [--minutes M] [--again]
[--interpreted | --compiled] [TESTS...]`` runs up to N mutants a package within M minutes, of what
numba does not compile, or with ``--interpreted`` of that alone, as plain Python; or with
``--compiled`` those of that alone that survived, compiled, with the tests of their scheme. Results
are added to .mutants/results.jsonl, and those that it has are not run anew; with ``--again``, those
that survived are. ``--table`` writes the tables of docs/mutants.md from the results.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from validation.mutation import on_disk
from validation.mutation.mutants import Mutant, mutants_of
from validation.mutation.table import table

PACKAGES = [
    "stats/schemes",
    "standardization",
    "stats/significance",
    "stats/rank_correlation",
    "comparison",
    "diagnosis",
]
RESULTS = Path(".mutants/results.jsonl")
PAGE = Path("docs/mutants.md")
SEED = 20261130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run mutants, or print the table."""
    parser = argparse.ArgumentParser(prog="validation.mutation", description=__doc__)
    parser.add_argument("tests", nargs="*", help="folders and files; those of the packages")
    parser.add_argument("--package", action="append", choices=PACKAGES)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of tests a mutant")
    parser.add_argument(
        "--longest",
        type=float,
        help="seconds of a test in the first run, 10 or (interpreted) 1; longer ones are left out",
    )
    parser.add_argument("--again", action="store_true")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--interpreted", action="store_true")
    how.add_argument("--compiled", action="store_true", help="survivors of --interpreted")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args(arguments)
    if given.table:
        text = PAGE.read_text(encoding="utf-8").partition("| package |")[0]
        PAGE.write_text(text + table(results(), PACKAGES), encoding="utf-8")
        return 0
    if given.compiled:
        on_disk.run(on_disk.survivors(results().values()), given.minutes * 60, record)
        return 0
    if given.interpreted:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    from validation.mutation.campaign import Campaign  # imports coverage, which starts at once

    own = [f"tests/{Path(name).name}" for name in PACKAGES]
    own += [f"src/cdfscore/{name}" for name in PACKAGES]
    own += ["tests/guards", "tests/testing"]
    # Plain Python is a hundred times slower: with 10 seconds a first run would take hours.
    longest = given.longest or (1.0 if given.interpreted else 10.0)
    campaign = Campaign(
        drawn(given), given.minutes * 60, given.budget, longest, record, RESULTS.parent
    )
    options = ["-p", "no:cacheprovider", "--tb=no", "-s", *(given.tests or own)]
    return int(pytest.main(options, plugins=[campaign]))


def drawn(given: Any) -> Iterator[Mutant]:
    """Yield mutants at random, of each package in turn, without those that have a result."""
    known = results()
    packages = [_shuffled(name, given) for name in given.package or PACKAGES]
    for turn in itertools.zip_longest(*packages):
        for mutant in turn:
            if mutant is None:
                continue
            last = known.get(mutant.key)
            if (
                (last is not None and last["outcome"] == "survived")
                if given.again
                else last is None
            ):
                yield mutant


def _shuffled(package: str, given: Any) -> list[Mutant | None]:
    paths = sorted(Path("src/cdfscore", package).rglob("*.py"))
    found = [mutant for path in paths for mutant in mutants_of(path)]
    random.Random(SEED).shuffle(found)
    # Another draw, if code has changed since: what is run again is known by its key.
    number = len(found) if given.again else given.number
    part: list[Mutant | None] = [
        each if each.place.compiled == given.interpreted else None for each in found[:number]
    ]
    return part + [None] * (number - len(part))


def results() -> dict[str, dict[str, Any]]:
    """Return the last result of each mutant, by its key."""
    if not RESULTS.exists():
        return {}
    rows = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    return {row["key"]: row for row in rows}


def record(mutant: Mutant, outcome: str, by: str) -> None:
    """Add a result to the file, and say which survive."""
    place = mutant.place
    row = {
        "key": mutant.key,
        "package": "compiled" if place.compiled else place.package,
        "path": str(place.path),
        "line": mutant.at.start.line,
        "function": place.function,
        "change": mutant.change,
        "outcome": outcome,
        "by": by,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    sys.exit(main())
