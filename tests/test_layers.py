"""A module imports only from the floors below it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cdfscore

SOURCE = Path(cdfscore.__file__).parent

# From the ground up. A line may import from the lines above it, a package also from itself.
FLOORS = """
    errors _version text
    files numerics
    catalogue r_random
    schemes inference
    distributions linear significance effect_size power rank_correlation tolerances
    adjustment letters families scores bands
    degenerate missing unfitted
    factors r
    standardizer datasets
    differences correlation leave_one_out
    comparison
    diagnosis sensitivity
    testing verify experiments
    reproduction
    plots report
    cli
"""
LEVELS = {name: level for level, line in enumerate(FLOORS.split("\n")) for name in line.split()}
# `import cdfscore` must start fast and without extras: not even lazily may it need these.
NOT_FOR_INIT = {"cli", "plots", "report", "testing"}
# Imported for annotations only, where the import would otherwise go upwards.
UPWARD_ANNOTATIONS = {("catalogue", "schemes"), ("catalogue", "inference")}
# Heavy packages, and the modules that may import them at module level.
HEAVY: dict[str, set[str]] = {
    "scipy": {"numerics", "significance", "effect_size", "power"},
    "numba": {"numerics", "rank_correlation", "r_random.py"},
    "statsmodels": set(),
    "matplotlib": {"plots"},
    "pandas": set(),
    "pyarrow": set(),
}

Import = tuple[str, str, int]


def test_every_module_has_a_floor() -> None:
    members = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py"}
    members |= {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    members -= {"__init__", "__main__"}
    assert sorted(members - LEVELS.keys()) == []


def test_modules_import_from_the_floors_below() -> None:
    upward = [
        f"{place}: {target}"
        for member, target, place in _imports_within(type_checking=False)
        if target != member and LEVELS[target] >= LEVELS[member]
    ]
    assert upward == []


def test_only_annotations_look_upwards() -> None:
    upward = {
        (member, target)
        for member, target, _ in _imports_within(type_checking=True)
        if target != member and LEVELS[target] >= LEVELS[member]
    }
    assert upward == UPWARD_ANNOTATIONS


def test_the_package_itself_imports_no_tool_of_the_upper_floors() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    targets = {target for target, *_ in _imports(tree, "cdfscore") if target}
    assert targets & NOT_FOR_INIT == set()


def test_the_package_itself_loads_nothing_heavy() -> None:
    script = f"import sys, cdfscore; print(sorted({set(HEAVY)} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.split() == [b"[]"]


@pytest.mark.parametrize("package", HEAVY)
def test_heavy_packages_are_imported_where_they_are_used(package: str) -> None:
    importers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for name in _module_level_packages(path)
        if name == package
    }
    allowed = HEAVY[package]
    assert {p for p in importers if p not in allowed and Path(p).parts[0] not in allowed} == set()


def test_the_reader_sees_imports_in_functions_and_under_type_checking() -> None:
    tree = ast.parse(
        "from cdfscore import scores\n"
        "from cdfscore.numerics.types import Array\n"
        "if TYPE_CHECKING:\n"
        "    from . import Scheme\n"
        "def f():\n"
        "    import cdfscore.cli.apply\n"
        "    from ..plots import draw\n"
    )
    assert list(_imports(tree, "cdfscore.factors")) == [
        ("scores", False, 1),
        ("numerics", False, 2),
        ("factors", True, 4),
        ("cli", False, 6),
        ("plots", False, 7),
    ]


def _imports_within(*, type_checking: bool) -> Iterator[tuple[str, str, str]]:
    """Yield importing member, imported member and place, for all modules but the package's."""
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if parts[0] in ("__init__", "__main__"):
            continue
        package = ".".join(["cdfscore", *parts[:-1]])
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for target, only_checking, line in _imports(tree, package):
            place = f"{path.relative_to(SOURCE)}:{line}"
            assert target in LEVELS, f"{place} imports {target or 'the whole package'}"
            if only_checking == type_checking:
                yield parts[0], target, place


def _imports(tree: ast.AST, package: str) -> Iterator[tuple[str, bool, int]]:
    """Yield member of cdfscore ("" for the package), under TYPE_CHECKING or not, line."""
    guarded = _under_type_checking(tree)
    for node in ast.walk(tree):
        for name in _imported_names(node, package):
            top, _, rest = name.partition(".")
            if top == "cdfscore":
                yield rest.partition(".")[0], id(node) in guarded, node.lineno


def _under_type_checking(tree: ast.AST) -> set[int]:
    return {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }


def _imported_names(node: ast.AST, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        parents = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*parents, *([base] if base else [])])
    if base != "cdfscore":
        return [base]
    return [f"{base}.{alias.name}" for alias in node.names]


def _module_level_packages(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    in_functions = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    later = in_functions | _under_type_checking(tree)
    return [
        name.partition(".")[0]
        for node in ast.walk(tree)
        if id(node) not in later
        for name in _imported_names(node, "")
    ]
