"""Run the campaign: the schemes take turns until each has its inputs, or time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from cdfscore.errors import FitError
from cdfscore.r.session import RSession
from cdfscore.stats.schemes.base import Scheme, parse_scheme
from validation.campaign.inputs import trial
from validation.campaign.judge import judge
from validation.campaign.tally import Tally

INPUTS = 100_000
SEED = 2019
# Trials of a scheme before the next one has its turn.
_TURN = 50


def campaign(
    spellings: Iterable[str],
    r: RSession,
    *,
    seed: int = SEED,
    inputs: int = INPUTS,
    minutes: float,
    done: Callable[[str, int], None],
) -> list[Tally]:
    """Return a tally a scheme; `done` is told of each scheme how many inputs it has."""
    tallies = [Tally(parse_scheme(spelling)) for spelling in spellings]
    end = time.monotonic() + 60 * minutes
    waiting = list(tallies)
    while waiting and time.monotonic() < end:
        for tally in waiting:
            for _ in range(_TURN):
                if tally.inputs < inputs:
                    one_trial(tally, seed, r)
            done(str(tally.scheme), tally.inputs)
        waiting = [tally for tally in waiting if tally.inputs < inputs]
    return tallies


def one_trial(tally: Tally, seed: int, r: RSession) -> None:
    """Judge the next trial of a scheme; a fit that is refused is counted and has no inputs."""
    next_one = trial(seed, tally.scheme, tally.trials)
    tally.trials += 1
    try:
        found = judge(tally.scheme, next_one, r)
    except FitError:
        tally.refused += 1
    else:
        tally.add(found)


def some_inputs(scheme: Scheme, r: RSession, inputs: int, seed: int = SEED) -> Tally:
    """Return the tally of at least so many inputs of one scheme, however long they take."""
    tally = Tally(scheme)
    while tally.inputs < inputs:
        one_trial(tally, seed, r)
    return tally
