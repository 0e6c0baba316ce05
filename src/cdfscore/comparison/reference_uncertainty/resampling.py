"""How the reference systems are resampled, and for which tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cdfscore.errors import SignificanceError
from cdfscore.numerics.numbers import whole_number_from
from cdfscore.significance.contract import ChosenTest, PairsTogether, TwoSamples
from cdfscore.spelling import argument, option

#: The fewest random resamples.
FEWEST_RESAMPLES = 200
#: Called with the number of resamples that are done, and of all.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Resampling:
    """Number of resamples of the reference systems, and their seed."""

    resamples: int
    seed: int = 0
    progress: Progress | None = None

    @classmethod
    def of(
        cls, name: str, resamples: int, seed: int, progress: Progress | None = None, also: str = ""
    ) -> Resampling:
        """Check the numbers; raises `SignificanceError`, which names the argument of the first."""
        number = whole_number_from(
            name, resamples, FEWEST_RESAMPLES, None, SignificanceError, also=also
        )
        return cls(number, whole_number_from("seed", seed, 0, None, SignificanceError), progress)


def resampling_of(chosen: ChosenTest, resamples: int, seed: int | None) -> Resampling | None:
    """Return how the reference systems are resampled beside a test, None for no resamples.

    Raises `SignificanceError` for numbers that are not accepted, a seed of no resamples, and a test
    that is not of pairs of systems on the same topics.
    """
    name = "reference_uncertainty"
    if resamples == 0 and not isinstance(resamples, bool):
        if seed is not None:
            raise SignificanceError(
                f"{argument('seed', seed)} is for resamples of the reference systems, and there "
                f"are none; expected {argument(name, 999)} with it, or the seed among the "
                "settings of the test"
            )
        return None
    found = Resampling.of(name, resamples, 0 if seed is None else seed, also="0 for none")
    test = chosen.test
    if not isinstance(test, TwoSamples | PairsTogether) or test.samples == "unpaired":
        of = "unpaired scores" if test.samples == "unpaired" else test.samples
        raise SignificanceError(
            f"{option(name)} is for differences between two systems on the same topics, and "
            f"{test.name} is a test of {of}; expected a test of pairs on the same topics, such as "
            "paired_t or tukey_hsd"
        )
    return found
