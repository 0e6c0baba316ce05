"""Mutants of compiled code, each in a copy of the sources that a new process compiles and tests.

The campaign runs such code as plain Python, without its slower tests. What survives there is run
here as users run it, with the tests that the scheme's name selects: those against R are among
them. The copy has what numba has compiled of the other folders, and a changed module has its whole
folder compiled anew (docs/decisions/0017-numbas-cache.md).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from validation.mutation.mutants import Mutant, mutants_of

_SCHEMES, _TESTS = Path("src/cdfscore/stats/schemes"), Path("tests/schemes")
_PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider")
#: Tests may take this many times their time with the code as it is, and these seconds to compile.
_FACTOR, _SECONDS = 3, 120
#: Codes of pytest: all tests pass, or one fails, or a test cannot be imported.
_SURVIVED, _KILLED = 0, {1, 2}


class NothingSaidError(Exception):
    """The tests say nothing of a mutant: they fail without it, or there are none."""


def survivors(rows: Iterable[Mapping[str, Any]]) -> Iterator[Mutant]:
    """Yield the mutants of compiled code that survived, as the last results have them."""
    own = [row for row in rows if row["package"] == "compiled" and row["outcome"] == "survived"]
    keys, places = {row["key"] for row in own}, {(row["path"], row["function"]) for row in own}
    for path in sorted({path for path, _ in places}):
        for mutant in mutants_of(Path(path)):
            if (path, mutant.place.function) in places and mutant.key in keys:
                yield mutant


def run(
    mutants: Iterable[Mutant], seconds: float, record: Callable[[Mutant, str, str], None]
) -> None:
    """Test mutants one after another, and record what the tests say, until the time is over."""
    end = time.monotonic() + seconds
    for mutant in mutants:
        if time.monotonic() > end:
            return
        tests = _tests(mutant.place.path)
        outcome, by = _tested(mutant, tests, _limit(tests))
        sys.stderr.write(f"{outcome} {mutant.place.path} {mutant.change} {by}\n")
        record(mutant, outcome, by)


def _tests(path: Path) -> tuple[str, ...]:
    """Return what selects tests: the folders or the schemes that import it, and other files."""
    folders = path.relative_to(_SCHEMES).parts[:-1]
    users = (each.stem for each in sorted(_SCHEMES.glob("*.py")) if path.stem in each.read_text())
    module = ".".join(path.with_suffix("").parts[1:])
    files = [p for p in sorted(Path("tests").rglob("test_*.py")) if module in p.read_text()]
    words = " or ".join((*(folders or users), *(p.stem for p in files)))
    return ("-k", words, str(_TESTS), *(str(p) for p in files if p.parent != _TESTS))


@cache
def _limit(tests: tuple[str, ...]) -> float:
    """Return the seconds that a mutant has, after the tests have passed without one."""
    began = time.monotonic()
    outcome, by = _tested(None, tests, 3600.0)
    if outcome != "survived":
        raise NothingSaidError(f"{tests} fail without a mutant: {by}")
    return _FACTOR * (time.monotonic() - began) + _SECONDS


def _tested(mutant: Mutant | None, tests: tuple[str, ...], seconds: float) -> tuple[str, str]:
    """Return the outcome of tests with a mutant or with none, and the test that fails."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as output:
        source = Path(folder, "src")
        shutil.copytree("src", source)  # with the times of files, by which numba's cache goes
        if mutant is not None:
            Path(folder, mutant.place.path).write_text(mutant.code, encoding="utf-8")
        environment["PYTHONPATH"] = os.pathsep.join((str(source), str(Path.cwd())))
        process = subprocess.Popen(
            [*_PYTEST, *tests],
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        code = process.poll()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        output.seek(0)
        said = output.read()
    if code is None:
        return "timeout", "compiled"
    if code < 0:
        return "killed", f"signal {-code}"
    if code != _SURVIVED and code not in _KILLED:
        raise NothingSaidError(said)
    by = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return ("killed", by[0][:200]) if code else ("survived", f"{tests[1]}, compiled")
