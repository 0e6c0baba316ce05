"""Which tests name which clause of the specification, by the marker ``clause``."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from validation.documentation.clauses import ROOT

TESTS = ROOT / "tests"


@cache
def marked_tests() -> dict[str, list[str]]:
    """Return the tests of each clause, such as ``tests/schemes/test_beta.py::test_of_r``."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.clause(" in text:
            for number, test in marks_of(ast.parse(text), path.relative_to(ROOT)):
                found[number].append(test)
    return dict(found)


def marks_of(module: ast.Module, path: Path | str) -> Iterator[tuple[str, str]]:
    """Yield each number and the test that names it; that of a whole file is without a name."""
    within_functions: set[ast.AST] = set()
    for each in ast.walk(module):
        if isinstance(each, ast.FunctionDef):
            for decorator in each.decorator_list:
                within_functions.update(ast.walk(decorator))
                for number in _numbers(decorator):
                    yield number, f"{path}::{each.name}"
    for each in ast.walk(module):
        if isinstance(each, ast.Call) and each not in within_functions:
            for number in _numbers(each):
                yield number, str(path)


def _numbers(call: ast.AST) -> Iterator[str]:
    """Yield the numbers in ``pytest.mark.clause("normal.1", "normal.2")``."""
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "clause"
    ):
        for argument in call.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value
