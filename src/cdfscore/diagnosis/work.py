"""Tasks of a diagnosis: every scheme on every topic, in one thread or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.diagnosis.topic import Examined, examine, not_fitted
from cdfscore.numerics.types import Array
from cdfscore.schemes._extremes import extremes
from cdfscore.schemes.base import Scheme
from cdfscore.spelling import as_here
from cdfscore.standardization.policies.unfitted import fit_where_possible
from cdfscore.threads import alone

# Reasons why a topic of few scores has no spread.
_UNVARIED = {0: "there is no score", 1: "there is only one score"}

Task = tuple[Callable[..., Examined], tuple[Any, ...]]


def tasks_of(
    scheme: Scheme, values: Array, topics: list[str], written: Resolution, draws: Draws
) -> list[Task]:
    """Return the task of each topic, in their order."""
    counts = (~np.isnan(values)).sum(axis=1).tolist()
    low, high = extremes(values)
    varied = np.flatnonzero(low < high)
    fitted, kept, unfitted = fit_where_possible(scheme, values[varied])
    position = {int(varied[row]): i for i, row in enumerate(kept)}
    reasons = {int(varied[row]): reason for row, reason in unfitted.items()}
    tasks: list[Task] = []
    for row, (topic, n) in enumerate(zip(topics, counts, strict=True)):
        if row in position:
            sample = values[row][~np.isnan(values[row])]
            one = fitted.take(np.array([position[row]]))
            tasks.append((examine, (one, sample, written, draws, topic)))
        else:
            constant = row not in reasons
            reason = reasons.get(row, _UNVARIED.get(n, "all scores are equal"))
            tasks.append((not_fitted, (scheme, topic, n, reason, constant)))
    return tasks


def results(work: list[Task], jobs: int | None) -> Iterator[Examined]:
    """Yield the results in order; an interrupted run waits only for the topics in progress."""
    if jobs is None:
        for function, arguments in work:
            yield function(*arguments)
        return
    pool = ThreadPoolExecutor(jobs, "cdfscore-diagnosis", initializer=as_here())
    try:
        futures = [pool.submit(alone, function, *arguments) for function, arguments in work]
        for future in futures:
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)
