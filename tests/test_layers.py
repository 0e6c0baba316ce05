"""A module imports only from the floors below it."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from cdfscore.r.verify import in_r
from cdfscore.stats.numerics import compiled
from tests.layers import (
    SOURCE,
    calls,
    entered,
    imports,
    imports_within,
    module_level_packages,
    names_imported,
    public_names,
    rooms_and_arrows,
)

# From the ground up. A line may import from the lines above it, a package also from itself.
FLOORS = """
    errors showing
    stats.judge
    common
    stats.numerics
    stats.adjustment stats.r_random
    stats.schemes
    stats.significance
    stats.effect_size stats.power stats.rank_correlation
    stats schemes significance effect_size
    scores
    standardization datasets
    r
    retrieval
    trec
    comparison
    models
    diagnosis sklearn
    testing plots
    report
    experiments
    cli
"""
LEVELS = {name: level for level, line in enumerate(FLOORS.split("\n")) for name in line.split()}
# `import cdfscore` must start without extras: not even lazily may it need these.
NOT_FOR_INIT = {"cli", "plots", "report", "sklearn", "testing"}
# Names of numerics that one folder uses, or none by itself: they are parts of an algorithm, or of a
# table, whose other parts two or more use.
BESIDE_SHARED_ONES = {
    "stats.numerics.compiled.as_rows",
    "stats.numerics.compiled.is_compiled",
    "stats.numerics.compiled.MANY",
    "stats.numerics.compiled.Compiled",
    "stats.numerics.moments.mean_of_two_doubles",
    "stats.numerics.moments.single_pass_mean",
    "stats.numerics.moments.total",
    "stats.numerics.multiples.ExactSums",
    "stats.numerics.multiples.LARGEST",
    "stats.numerics.multiples.exact_means",
    "stats.numerics.multiples.joined",
    "stats.numerics.normal_cdf.COEFFICIENTS",
    "stats.numerics.offset.NEAR",
    "stats.numerics.quantiles.quantile_of_sorted",
    "stats.numerics.quantiles.quantile_r",
    "stats.numerics.ranks.Counts",
    "stats.numerics.ranks.tie_sum",
    "stats.numerics.tolerance.doubles_of",
    "stats.numerics.tolerance.ordinals",
    "stats.numerics.tolerance.ulp_distance",
}
# Heavy packages, and the rooms that may import them at module level.
ARITHMETIC = {"stats", "models", "experiments"}
FRAMES = {
    "standardization",
    "retrieval",
    "comparison",
    "models",
    "diagnosis",
    "experiments",
    "scores",
    "datasets",
}
MOST = {
    "compare": (33, 291),
    "fit and transform": (20, 114),
    "reading": (12, 109),
    "verify": (29, 279),
}
HEAVY: dict[str, set[str]] = {
    "scipy": ARITHMETIC | {"diagnosis", "retrieval"},
    "numba": set(),
    "statsmodels": {"stats"},  # in the judge alone
    "matplotlib": {"plots", "experiments"},
    "sklearn": {"sklearn.py"},
    "pandas": FRAMES,
    "narwhals": set(),
    "polars": set(),
    "pyarrow": {"retrieval", "standardization", "scores"},
}


def test_every_module_has_a_floor() -> None:
    assert rooms_and_arrows(SOURCE)[0] == {name.partition(".")[0] for name in LEVELS}


def test_the_house_does_not_grow() -> None:
    """The limits are what was reached; four of the names at the top are short ones for users."""
    rooms, arrows = rooms_and_arrows(SOURCE)
    short = {"effect_size", "schemes", "significance", "trec"}
    own = {arrow for arrow in arrows if arrow[0] not in short}
    assert len(rooms - short) <= 18
    assert len(own) <= 96
    assert {there for _, there in own}.isdisjoint(short)
    assert len([*SOURCE.rglob("*.py")]) <= 215


@pytest.mark.parametrize("type_checking", [False, True])
def test_modules_import_from_the_floors_below(type_checking: bool) -> None:
    upward = [
        f"{place}: {target or 'the whole package'}"
        for member, target, place in imports_within(type_checking=type_checking)
        if target not in (member, "__version__")
        and LEVELS.get(target, len(LEVELS)) >= LEVELS[member]
    ]
    assert upward == []


def test_a_reader_enters_few_files_and_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are what was reached, where nothing was computed before."""
    monkeypatch.setattr(compiled, "_so_far", 0)
    found = {name: entered(call) for name, call in calls(tmp_path).items()}
    assert {name: files for name, (files, _) in found.items() if files > MOST[name][0]} == {}
    assert {name: each for name, (_, each) in found.items() if each > MOST[name][1]} == {}


def test_numerics_holds_what_two_or_more_folders_use() -> None:
    """Each public name, but those of its own files with an underscore."""
    rooms: dict[str, set[str]] = {
        f"stats.numerics.{path.stem}.{name}": set()
        for path in (SOURCE / "stats" / "numerics").glob("[!_]*.py")
        for name in public_names(path)
    }
    for member, target in names_imported():
        for name in rooms:
            if member != "stats.numerics" and target in (name, name.rpartition(".")[0]):
                rooms[name].add(member)
    assert {name for name, found in rooms.items() if len(found) < 2} == BESIDE_SHARED_ONES
    for module in {name.rpartition(".")[0] for name in rooms}:
        users = set().union(
            *(found for name, found in rooms.items() if name.startswith(f"{module}."))
        )
        assert len(users) > 1, f"{module} is used by {users} alone"


def test_the_package_itself_imports_no_tool_of_the_upper_floors() -> None:
    tree = ast.parse((SOURCE / "__init__.pyi").read_text(encoding="utf-8"))
    targets = {name.partition(".")[0] for name, *_ in imports(tree, "cdfscore")}
    assert targets - rooms_and_arrows(SOURCE)[0] == set()
    assert targets & NOT_FOR_INIT == set()


def test_the_package_itself_loads_nothing_heavy() -> None:
    script = f"import sys, cdfscore; print(sorted({set(HEAVY)} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.split() == [b"[]"]


@pytest.mark.parametrize("package", HEAVY)
def test_heavy_packages_are_imported_where_they_are_used(package: str) -> None:
    importers = {
        path.relative_to(SOURCE).parts[0]
        for path in SOURCE.rglob("*.py")
        for name in module_level_packages(path)
        if name == package
    }
    assert importers - HEAVY[package] == set()


def test_the_judge_calls_nothing_of_the_package() -> None:
    """statsmodels is imported at module level there alone, where functions import the judge."""
    assert {t for m, t in names_imported() if m == "stats.judge"} <= {
        t for _, t in names_imported() if t.startswith("stats.judge")
    }
    importers = {
        p.parent for p in SOURCE.rglob("*.py") if "statsmodels" in module_level_packages(p)
    }
    assert importers == {SOURCE / "stats" / "judge"}


def test_the_reader_sees_imports_in_functions_and_under_type_checking() -> None:
    tree = ast.parse(
        "from cdfscore import scores\n"
        "from cdfscore.stats.numerics.types import Array\n"
        "if TYPE_CHECKING:\n"
        "    from . import Scheme\n"
        "def f():\n"
        "    import cdfscore.cli.apply\n"
        "    from ..plots import draw\n"
    )
    assert list(imports(tree, "cdfscore.factors")) == [
        ("scores", False, 1),
        ("stats.numerics.types.Array", False, 2),
        ("factors.Scheme", True, 4),
        ("cli.apply", False, 6),
        ("plots.draw", False, 7),
    ]


def test_one_module_alone_calls_the_floors_above_by_name() -> None:
    """Of this package: plug-ins, schemes and tests are loaded by names from lists."""
    named = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if 'import_module("cdfscore' in path.read_text(encoding="utf-8")
    ]
    assert named == ["showing.py"]


def test_every_module_of_scores_may_be_imported_first() -> None:
    """None of them is in a circle of imports, which works in one order alone."""
    names = [
        ".".join(["cdfscore", *path.relative_to(SOURCE).with_suffix("").parts])
        for path in sorted((SOURCE / "scores").rglob("*.py"))
    ]
    code = (
        "import importlib, sys\n"
        f"for name in {names}:\n"
        "    for known in [k for k in sys.modules if k.partition('.')[0] == 'cdfscore']:\n"
        "        del sys.modules[known]\n"
        "    importlib.import_module(name)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_the_analysis_in_r_of_a_result_is_in_its_room() -> None:
    """`verify` imports ``in_r`` of the room of the result, and no other module."""
    for path in SOURCE.rglob("in_r.py"):
        importlib.import_module(".".join(["cdfscore", *path.relative_to(SOURCE).parts])[:-3])
    apart = {
        result.__name__: function.__module__
        for result, function in in_r.registry.items()
        if result is not object
        and f"{result.__module__.rpartition('.')[0]}.in_r" != function.__module__
    }
    assert apart == {"Standardized": "cdfscore.r.verify"}
