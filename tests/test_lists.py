"""The typed list of a folder, its ``__init__.pyi``, names the members whose R twins are in it."""

import importlib
import pkgutil
from pathlib import Path

import pytest

from cdfscore.common.catalogue import stem_of
from cdfscore.stats.schemes import Distribution, LinearScheme, Scheme
from cdfscore.stats.schemes._rows import OnDomain

FOLDERS = ("cdfscore.stats.schemes", "cdfscore.stats.significance", "cdfscore.stats.effect_size")


@pytest.mark.parametrize("package", FOLDERS)
def test_list_and_folder_agree(package: str) -> None:
    module = importlib.import_module(package)
    folder = Path(str(module.__file__)).parent
    twins = {path.stem for path in [*folder.glob("*.R"), *folder.glob("*/*.R")]}
    listed = {stem_of(symbol) for symbol in module.__all__}
    assert twins <= listed
    # What else is listed is of the contract, and has no file of its own.
    assert {s for s in listed - twins if (folder / f"{s}.py").exists()} == set()
    members = {stem_of(symbol): getattr(module, symbol) for symbol in module.__all__}
    assert {s for s in twins if not members[s].twin().samefile(_beside(folder, s))} == set()


def test_every_scheme_that_a_file_defines_is_listed_and_has_a_twin() -> None:
    """Found by importing every module, as a file without a twin would else be missed."""
    package = importlib.import_module("cdfscore.stats.schemes")
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(package.__path__, "cdfscore.stats.schemes.")
    ]
    defined = {
        value
        for module in modules
        for value in vars(module).values()
        if is_scheme(value) and value.__module__ == module.__name__
    }
    assert {each.__name__ for each in defined if not each.twin().is_file()} == set()
    listed = {getattr(package, name) for name in package.__all__}
    assert defined == {value for value in listed if is_scheme(value)}


def is_scheme(value: object) -> bool:
    bases = (Scheme, Distribution, LinearScheme, OnDomain)
    return isinstance(value, type) and issubclass(value, Scheme) and value not in bases


@pytest.mark.parametrize("package", [*FOLDERS, "cdfscore"])
def test_every_name_of_the_list_can_be_imported(package: str) -> None:
    module = importlib.import_module(package)
    assert [name for name in module.__all__ if getattr(module, name, None) is None] == []


def test_a_submodule_that_is_imported_first_leaves_the_test_its_name() -> None:
    importlib.import_module("cdfscore.stats.significance.paired_t")
    from cdfscore.stats.significance import paired_t

    assert paired_t([0.1, 0.4, 0.2], [0.2, 0.3, 0.5]).n == 3


def _beside(folder: Path, stem: str) -> Path:
    """Return the R twin of a member: in the folder, or in one of its own name."""
    own = folder / stem / f"{stem}.R"
    return own if own.exists() else folder / f"{stem}.R"
