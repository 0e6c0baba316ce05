"""A plugin of pytest that runs a part of its tests for each mutant, in a forked process.

First each test is run once in a forked process, with the lines that it reaches, and its time. The
mutated code then takes the place of the old one in functions that are there already, whatever
decorates them, and only tests that reach the statement are run, the quickest first, until one
fails. What is run at import is not replaced that way: if no test fails, or it is run at import
alone, a new process imports it mutated.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage
import pytest

from validation.mutation import processes
from validation.mutation.importing import FirstExample
from validation.mutation.mutants import Mutant

# The lines that were run before the first test have this name.
_AT_IMPORT = ""


@dataclass(frozen=True)
class Run:
    """What a test has done in the first run."""

    passed: bool
    seconds: float
    #: The lines that it has reached, of each file.
    lines: dict[str, frozenset[int]]


class Campaign(FirstExample):
    """Mutants that are drawn, and what the tests say of them."""

    def __init__(
        self,
        drawn: Iterable[Mutant],
        seconds: float,
        budget: float,
        longest: float,
        record: Callable[[Mutant, str, str], None],
        folder: Path,
    ) -> None:
        self.drawn, self.seconds, self.budget, self.record = drawn, seconds, budget, record
        self.longest, self.folder = longest, folder
        # Lines that are run at import are told from others, so it is on before the first.
        self.coverage = coverage.Coverage(
            data_file=None, config_file=False, source=["src/cdfscore"], messages=False
        )
        # Of a test that reaches no line.
        self.coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self.coverage.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests of each mutant in place of all."""
        items = {item.nodeid: item for item in session.items}
        processes.start_r()
        runs = self._runs(items)
        self.coverage.stop()
        times = {name: runs[name].seconds for name in items if runs[name].passed}
        left = sorted(items.keys() - times.keys())
        _say(f"{len(items)} tests in {sum(times.values()):.0f} s; left out: {len(left)}", *left)
        reached: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for name in (_AT_IMPORT, *times):
            for path, lines in runs[name].lines.items():
                for line in lines:
                    reached[path][line].add(name)
        processes.import_all()  # or a test imports a module that is not mutated
        gc.unfreeze()  # what is frozen is not listed
        in_memory = processes.InMemory.found()
        gc.freeze()
        end = time.monotonic() + self.seconds
        for mutant in self.drawn:
            if time.monotonic() > end:
                break
            names = _tests(mutant, reached)
            chosen = self._within_budget(names | _sharing(names, items), times)
            outcome, by = "survived", ""
            if mutant.place.in_function:
                tests = [(items[name], times[name]) for name in chosen]
                outcome, by = processes.forked(mutant, in_memory, tests)
            if outcome == "survived" and (_AT_IMPORT in names or not mutant.place.in_function):
                outcome, by = processes.imported(mutant, chosen)
            _say(f"{outcome} {mutant.place.path}:{mutant.at.start.line} {mutant.change} {by}")
            self.record(mutant, outcome, by)
        return True

    def _runs(self, items: dict[str, pytest.Item]) -> dict[str, Run]:
        """Run the tests that the folder has no run of with the code as it is."""
        code = b"".join(path.read_bytes() for path in sorted(Path("src").rglob("*.py")))
        kind = os.environ.get("NUMBA_DISABLE_JIT", "")
        path = self.folder / f"runs-{hashlib.sha256(code).hexdigest()[:12]}{kind}.pickle"
        runs: dict[str, Run] = pickle.loads(path.read_bytes()) if path.exists() else {}
        runs[_AT_IMPORT] = Run(True, 0.0, self._lines(_AT_IMPORT))
        for name, item in items.items():
            if name not in runs:
                found = processes.result_of_fork(
                    lambda item=item: self._first_run(item), self.longest
                )
                runs[name] = found or Run(False, self.longest, {})
        self.folder.mkdir(exist_ok=True)
        path.write_bytes(pickle.dumps(runs))
        return runs

    def _first_run(self, item: pytest.Item) -> Run:
        # It holds a lock, for which what a collection of garbage runs would wait in vain.
        gc.disable()
        self.coverage.switch_context(item.nodeid)
        gc.enable()
        began = time.monotonic()
        passed = processes.passes(item, None)
        seconds = time.monotonic() - began
        self.coverage.stop()
        return Run(passed, seconds, self._lines(item.nodeid))

    def _lines(self, context: str) -> dict[str, frozenset[int]]:
        data = self.coverage.get_data()
        data.set_query_context(context)
        found = {path: frozenset(data.lines(path) or ()) for path in data.measured_files()}
        return {path: lines for path, lines in found.items() if lines}

    def _within_budget(self, names: set[str], times: dict[str, float]) -> list[str]:
        chosen, total = [], 0.0
        for name in sorted(names & times.keys(), key=lambda name: (times[name], name)):
            total += times[name]
            if total > self.budget and chosen:
                break
            chosen.append(name)
        return chosen


def _tests(mutant: Mutant, reached: dict[str, dict[int, set[str]]]) -> set[str]:
    """Return the tests that reach the statement.

    Of what is run at import these are those of the package, and of a function that keeps its
    results, those of the file.
    """
    place, path = mutant.place, mutant.place.path.resolve()
    first, last = place.lines
    lines = reached[str(path)]
    found = set().union(*(lines.get(line, set()) for line in range(first, last + 1)))
    if place.cached:
        return found.union(*lines.values())
    if not place.in_function or found == {_AT_IMPORT}:
        package = Path("src/cdfscore", place.package).resolve()
        files = [each for each in reached if Path(each).is_relative_to(package)]
        return found.union(*(names for each in files for names in reached[each].values()))
    return found


def _sharing(names: set[str], items: dict[str, pytest.Item]) -> set[str]:
    """Return the tests with a fixture that one of these has made for all: its lines are theirs."""
    made = set().union(*(_fixtures(items[name]) for name in names & items.keys()))
    return {name for name, item in items.items() if made & _fixtures(item)} if made else set()


def _fixtures(item: pytest.Item) -> set[Any]:
    found = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {}).values()
    own = (each[-1] for each in found)
    return {f for f in own if f.scope != "function" and f.baseid.startswith("tests/")}


def _say(*lines: Any) -> None:
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()
