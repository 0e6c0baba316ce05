"""What tests share: what they need from outside, and how many examples they draw.

What is absent is a failure in CI and a skip elsewhere; evaluation data are also a skip where
CDFSCORE_DATA is set and empty.
"""

import atexit
import contextlib
import gc
import hashlib
import importlib
import itertools
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from validation.parity.record import DISTANCES, print_distances

_PLUG_IN = "cdfscore_plug_in"
# Its tests are run where it is installed; see tests/test_plug_in_package.py.
collect_ignore = ["docs/plug_in"]


# hypothesis draws numbers of the project's own modules as well, of those that are imported so far.
# In several processes that differs between runs, and so would the examples. No setting says this.
providers._get_local_constants = providers.Constants  # type: ignore[assignment]


def pytest_configure(config: pytest.Config) -> None:
    """Choose the examples of properties without a number of their own, before tests are read.

    They are the same in every run, or others, and more of them, with --hypothesis-seed. None is
    timed.
    """
    same = config.getoption("--hypothesis-seed") is None
    settings.register_profile(
        "chosen",
        derandomize=same,
        deadline=None,
        database=None,
        max_examples=1000 if config.getoption("--long") else 40 if same else 100,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("chosen")
    if not config.getoption("--long"):
        # R would compile each function at its second call: a third of the time of small inputs.
        os.environ.setdefault("R_ENABLE_JIT", "0")
    # Memory that an array no longer needs stays with the process. Given back, it costs the kernel
    # 10 s for the simulations of `check_test`, which take 2 s. Processes of xdist begin later.
    for name in ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
        os.environ.setdefault(name, str(1 << 32))
    gc.disable()  # while tests are collected, little of which is garbage: 7 s of 22


def pytest_collect_file(file_path: Path) -> None:
    """Import a module of the package in the usual way, before pytest imports it.

    Otherwise pytest sets the module as an attribute of its package, in place of a function with
    the same name: `cdfscore.stats.power.power_t` would be the module in the examples of it.
    """
    source = Path(__file__).parent / "src"
    if file_path.suffix == ".py" and file_path.is_relative_to(source / "cdfscore"):
        name = ".".join(file_path.relative_to(source).with_suffix("").parts)
        with contextlib.suppress(ImportError):  # which pytest reports
            importlib.import_module(name.removesuffix(".__init__"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests marked `long`, and cases of `one_in`, unless --long; begin with schemes."""
    # numba's code is cached on disk. Of two processes one has the first half: it compiles what the
    # other, which begins with tests of models, needs later.
    items.sort(key=lambda item: "schemes" not in item.path.parts)
    if config.getoption("--long"):
        return
    left = {item for item in items if item.get_closest_marker("long")}
    cases: dict[tuple[str, int], list[pytest.Item]] = {}
    for item in items:
        for marker in item.iter_markers("one_in"):
            (count,) = marker.args
            cases.setdefault((item.nodeid.partition("[")[0], count), []).append(item)
    for (_, count), own in cases.items():
        # A draw by the digest of their names, so that a new case changes little.
        order = sorted(own, key=lambda item: hashlib.sha256(item.nodeid.encode()).digest())
        left.update(order[math.ceil(len(order) / count) :])
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --long, for tests that otherwise take a part of their inputs."""
    parser.addoption(
        "--long",
        action="store_true",
        help="1,000 examples of each property that states no number, all topics of the real "
        "matrices, and tests marked long or one_in, as make validate does",
    )


@pytest.fixture(scope="session")
def long(pytestconfig: pytest.Config) -> bool:
    """True if a test takes all topics of the real matrices."""
    return bool(pytestconfig.getoption("--long"))


_FREEZE_AFTER = 100  # tests: by then a file or two have been imported and compiled
_finished = itertools.count(1)


def pytest_collection_finish() -> None:
    """Leave what is there before the first test out of every later collection of garbage.

    A collection with 8,000 tests in memory takes 0.3 s, and statsmodels collects in every
    call of its Holm procedure.
    """
    gc.freeze()
    gc.enable()


def pytest_runtest_logfinish() -> None:
    """Leave what tests have imported and compiled out of later collections too."""
    if next(_finished) % _FREEZE_AFTER == 0:
        gc.collect()
        gc.freeze()


# The end of the process collects all, or duckdb reports what is left of it as leaks. Before it, at
# the end of a session, pytest collects five times.
atexit.register(gc.unfreeze)


_HANDED: list[str] = []


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Keep what a process has to say of the distances from R; xdist calls this."""
    _HANDED.extend(getattr(node, "workeroutput", {}).get(DISTANCES, []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the processes have said."""
    print_distances(terminalreporter, sorted(_HANDED))


@pytest.fixture(autouse=True)
def _parts_of_a_test() -> Iterator[None]:
    """Forget the kernels and the bandwidth rules that a test or an example defines."""
    modules = (("kernel", "KERNELS"), ("bandwidths", "RULES"))
    before = [
        (own, dict(own))
        for name, parts in modules
        if (module := sys.modules.get(f"cdfscore.stats.schemes.{name}")) is not None
        for own in [getattr(module, parts).own]
    ]
    yield
    for own, kept in before:
        for name in [*own]:
            if own[name] is not kept.get(name):
                sys.modules.pop(f"{_PLUG_IN}.{name}", None)  # which adds it when it is imported
        own.clear()
        own.update(kept)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of evaluation data, which the project has no copy of."""
    beside = Path(__file__).resolve().parents[1] / "shared" / "data"
    named = os.environ.get("CDFSCORE_DATA", str(beside))
    if not named:
        pytest.skip("CDFSCORE_DATA is empty: the evaluation data are not public")
    folder = Path(named)
    if not folder.is_dir():
        _absent(f"no evaluation data in {folder} (CDFSCORE_DATA names another folder)")
    return folder


@pytest.fixture(scope="session")
def rinterface() -> ModuleType:
    """Return rpy2's low-level interface to a running R."""
    _require_r()
    from cdfscore.r.session import RSession

    interface: ModuleType = RSession().rinterface
    return interface


@pytest.fixture(scope="session")
def r(rinterface: ModuleType) -> Any:
    """Return R in this process, as the package runs it."""
    from cdfscore.r.session import RSession

    return RSession()


@pytest.fixture(scope="session")
def require_r_package(rinterface: ModuleType) -> Callable[[str], None]:
    """Return what a test calls that needs a package of R."""

    def require(name: str) -> None:
        if not rinterface.baseenv["requireNamespace"](name, quietly=True)[0]:
            debian = f"r-cran-{name.lower()}"
            _absent(f"the R package {name} is not installed; Debian: apt-get install {debian}")

    return require


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Examples that call R are tests that need it."""
    if isinstance(item, pytest.DoctestItem) and any(
        call in example.source
        for example in item.dtest.examples
        for call in ("verify(", "verify_merge(", "check_twin(")
    ):
        _require_r()
        _module("rpy2.rinterface")


@pytest.fixture(scope="session")
def pytrec_eval() -> ModuleType:
    """Return pytrec_eval, whose trec_eval measures at full precision."""
    return _module("pytrec_eval")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Return a headless Chromium: Debian's, or else the one that playwright installed."""
    sync_api = _module("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        except sync_api.Error as error:
            _absent(f"Chromium does not start; see scripts/install_browser.sh: {error}")
            raise
        yield found
        found.close()


@pytest.fixture(scope="session")
def axe() -> Any:
    """Return axe-core, which looks for what keeps people from using a page."""
    return _module("axe_playwright_python.sync_playwright").Axe()


@pytest.fixture(scope="session")
def versions_of_pages() -> bool:
    """True if R and libraries must be those that the pages show: in CI, unless it has others."""
    return bool(os.environ.get("CI")) and os.environ.get("CDFSCORE_VERSIONS") != "other"


def _require_r() -> None:
    if shutil.which("R") is None:
        _absent("R is not installed; Debian: apt-get install r-base-core, others: r-project.org")


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        _absent(f"{name} cannot be imported: {error}")
        raise


def _absent(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
