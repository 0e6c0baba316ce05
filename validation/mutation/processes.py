"""Processes in which a mutant is tested."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import pickle
import pkgutil
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

import cdfscore
from validation.mutation.importing import MEMORY
from validation.mutation.mutants import Mutant

#: A test may take this many times its time in the first run, and these seconds.
_FACTOR, _SECONDS = 10, 10
_SURVIVED, _KILLED, _TIMEOUT, _ERROR = 0, 1, 2, 3


class TooLongError(BaseException):
    """A test takes too long; nothing catches it but what measures."""


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `TooLongError` in this process after some seconds."""

    def stop(*_: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def passes(item: pytest.Item, after: pytest.Item | None) -> bool:
    """Run one test, and what ends before the one after."""
    reports = runtestprotocol(item, log=False, nextitem=after)
    return all(not report.failed for report in reports) and any(
        report.when == "call" and not report.skipped for report in reports
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Leave out what is printed."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)


def start_r() -> None:
    """Start R once, and not in each process."""
    importlib.import_module("rpy2.rinterface").initr()


def import_all() -> None:
    """Import all modules of the package."""
    for module in pkgutil.walk_packages(cdfscore.__path__, "cdfscore."):
        importlib.import_module(module.name)


def result_of_fork(run: Callable[[], Any], seconds: float) -> Any:
    """Return what a forked process returns, or None if it takes longer, or ends without a result.

    It is killed with what it has started: an exception within might leave a lock behind.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "result")
        child = os.fork()
        if not child:
            try:
                os.setsid()
                with _quiet():
                    path.write_bytes(pickle.dumps(run()))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        end = time.monotonic() + seconds
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return None
            time.sleep(0.002)
        return pickle.loads(path.read_bytes()) if path.exists() else None


@dataclass(frozen=True)
class InMemory:
    """The functions of the package, by file, and whatever keeps results of calls."""

    functions: dict[str, list[FunctionType]]
    caches: list[Any]

    @classmethod
    def found(cls) -> InMemory:
        """Look for them among all objects."""
        functions, caches = defaultdict(list), []
        for each in gc.get_objects():
            if isinstance(each, FunctionType) and "/cdfscore/" in each.__code__.co_filename:
                functions[each.__code__.co_filename].append(each)
            elif isinstance(each, functools._lru_cache_wrapper) and str(each.__module__).startswith(
                ("cdfscore", "tests", "validation")
            ):
                caches.append(each)
        return cls(functions, caches)

    def replace(self, mutant: Mutant) -> None:
        """Give the functions of a file the mutated code, and forget results."""
        path = str(mutant.place.path.resolve())
        old = _codes(compile(mutant.module.code, path, "exec"))
        new = _codes(compile(mutant.code, path, "exec"))
        name_of = {(c.co_qualname, c.co_firstlineno): name for name, c in old.items()}
        for function in self.functions[path]:
            code = function.__code__
            name = name_of.get((code.co_qualname, code.co_firstlineno))
            if name in new and len(new[name].co_freevars) == len(code.co_freevars):
                function.__code__ = new[name]
        for cache in self.caches:
            cache.cache_clear()


def _codes(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """Return the code of all functions within, by name, and number among those of one name."""
    found: dict[tuple[str, int], CodeType] = {}

    def walk(outer: CodeType) -> None:
        for each in outer.co_consts:
            if isinstance(each, CodeType):
                count = sum(name == each.co_qualname for name, _ in found)
                found[each.co_qualname, count] = each
                walk(each)

    walk(code)
    return found


def forked(
    mutant: Mutant, in_memory: InMemory, tests: Sequence[tuple[pytest.Item, float]]
) -> tuple[str, str]:
    """Run tests in a forked process until one fails; return the outcome, and that test."""
    if not tests:
        return "survived", "0 tests"
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            code = _ERROR
            try:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                with _quiet():
                    in_memory.replace(mutant)
                    code = _run(tests, said.fileno())
            finally:
                os._exit(code)
        # A loop in compiled code hears no alarm.
        end = time.monotonic() + _FACTOR * sum(t for _, t in tests) + 6 * _SECONDS
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
            if time.monotonic() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return "timeout", "all"
            time.sleep(0.01)
        said.seek(0)
        by = said.read().decode()
    code = os.waitstatus_to_exitcode(ended[1])
    names = {_SURVIVED: "survived", _KILLED: "killed", _TIMEOUT: "timeout", _ERROR: "error"}
    if code < 0:
        return "killed", f"signal {-code}"
    return names.get(code, "error"), by if code else f"{len(tests)} tests"


def _run(tests: Sequence[tuple[pytest.Item, float]], said: int) -> int:
    following = [item for item, _ in tests[1:]]
    for (item, seconds), after in zip(tests, [*following, None], strict=True):
        try:
            with within(_FACTOR * seconds + _SECONDS):
                passed = passes(item, after)
        except TooLongError:
            os.write(said, item.nodeid.encode())
            return _TIMEOUT
        if not passed:
            os.write(said, item.nodeid.encode())
            return _KILLED
    return _SURVIVED


def imported(mutant: Mutant, names: Sequence[str]) -> tuple[str, str]:
    """Run tests in a new process, which imports the mutated code."""
    if not names:
        return "survived", "0 tests"
    with tempfile.TemporaryDirectory() as folder:
        tests, module = Path(folder, "tests"), Path(folder, "module")
        tests.write_text("\n".join(names))
        module.write_text(f"{mutant.place.path.resolve()}\n{mutant.code}", encoding="utf-8")
        command = [sys.executable, "-m", "validation.mutation.importing", module, tests]
        try:
            ended = subprocess.run(
                command, capture_output=True, check=False, timeout=300, text=True
            )
        except subprocess.TimeoutExpired:
            return "timeout", "imported"
    code = ended.returncode
    if code < 0:
        return "killed", f"signal {-code}"
    outcomes = {0: "survived", 1: "killed", 2: "killed", 4: "killed"}
    said = [
        line for line in ended.stdout.splitlines() if line.startswith(("FAILED", "ERROR", "E "))
    ]
    by = (
        f"{len(names)} tests, imported" if not code else " ".join(said)[:200] or ended.stderr[-200:]
    )
    return outcomes.get(code, "error"), by
