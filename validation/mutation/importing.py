"""Run tests with one module of the package mutated: MODULE, a file with its path and its code.

TESTS, a file, has the names of the tests, in their order.
"""

from __future__ import annotations

import importlib.machinery
import resource
import sys
from pathlib import Path
from types import CodeType

import pytest

#: Bytes that a process of a mutant may have at once: what takes more has failed.
MEMORY = 8 << 30


class FirstExample:
    """An example that fails is enough: the simplest is not looked for."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Choose the settings before tests are read."""
        from hypothesis import Phase, settings  # pytest rewrites its assertions, if it is first

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutants", settings(), phases=phases)
        settings.load_profile("mutants")


class _Chosen(FirstExample):
    def __init__(self, names: list[str]) -> None:
        self.names = names

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[name] for name in self.names if name in found]


def _main(module: str, tests: str) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    path, _, code = Path(module).read_text(encoding="utf-8").partition("\n")
    read = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, name: str) -> CodeType | None:
        return compile(code, path, "exec") if self.path == path else read(self, name)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    names = Path(tests).read_text(encoding="utf-8").splitlines()
    # What is named here would be read by pytest itself, unmutated, if it were a module's file.
    files = (Path(name.partition("::")[0]) for name in names)
    paths = sorted({str(f.parent if f.parts[0] == "src" else f) for f in files})
    options = ["-p", "no:cacheprovider", "--tb=no", "-x", "-n0"]
    return int(pytest.main([*options, *paths], plugins=[_Chosen(names)]))


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
