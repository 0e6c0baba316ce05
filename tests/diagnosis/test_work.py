"""In which threads topics are examined."""

import threading
from functools import partial
from typing import Any

import pytest

from cdfscore.common import threads
from cdfscore.diagnosis.diagnosis import results


def _where(number: int) -> Any:
    """Return a number, the thread, and how many threads may be started in it."""
    return number, threading.get_ident(), threads.threads_here()


@pytest.mark.parametrize(("jobs", "within"), [(None, 4), (1, 1), (3, 1)])
def test_topics_come_in_order_and_start_no_threads_in_threads(
    jobs: int | None, within: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 4)
    found: list[Any] = list(results([partial(_where, k) for k in range(20)], jobs))
    numbers, where, may_start = zip(*found, strict=True)
    assert numbers == tuple(range(20))
    assert (threading.get_ident() in where) == (jobs in (None, 1))
    assert len(set(where)) <= (jobs or 1)
    assert set(may_start) == {within}
