"""A running R for the campaign, and the line that says how far each scheme was from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cdfscore.r.session import RSession
from validation.parity.matrices import Matrix, read_matrices
from validation.parity.record import DISTANCES, Record, print_distances

_RECORD = pytest.StashKey[Record]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_RECORD] = Record()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the lines to the process that prints, where tests run in several."""
    handed = getattr(session.config, "workeroutput", None)
    if handed is not None:
        handed[DISTANCES] = session.config.stash[_RECORD].lines()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    lines = config.stash[_RECORD].lines()
    print_distances(terminalreporter, lines)


@pytest.fixture(scope="session")
def record(pytestconfig: pytest.Config) -> Record:
    """Where the distances seen are kept."""
    return pytestconfig.stash[_RECORD]


@pytest.fixture(scope="session")
def r(rinterface: Any) -> RSession:
    """R with the twins."""
    return RSession()


@pytest.fixture(scope="session")
def matrices(shared_data: Path) -> list[Matrix]:
    """Every real score matrix."""
    return read_matrices(shared_data)
