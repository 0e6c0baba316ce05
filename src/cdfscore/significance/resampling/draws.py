"""Random draws of a test as whole numbers, which R can read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The sizes of samples: n, or n and m, or topics and systems.
Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Draws:
    """The draws of a test on samples of some sizes: `trials` of them, each of whole numbers.

    `blocks` yields them anew at each call, (trials, numbers), from 0 to `largest`.
    """

    trials: int
    numbers: int
    largest: int
    blocks: Callable[[], Iterable[NDArray[Any]]]

    @property
    def width(self) -> int:
        """The number of bytes of a number, 1, 2 or 4; 0 for a bit."""
        if self.largest <= 1:
            return 0
        return int(np.min_scalar_type(self.largest).itemsize)

    @property
    def size(self) -> int:
        """The number of bytes of all draws."""
        return self.trials * (self.numbers * self.width or -(-self.numbers // 8))

    def encoded(self) -> Iterator[bytes]:
        """Yield the draws as bytes, one draw after another.

        Numbers have their lowest byte first. Bits fill whole bytes, draw by draw, from the lowest
        bit on.
        """
        for block in self.blocks():
            if self.width:
                yield np.ascontiguousarray(block, dtype=f"<u{self.width}").tobytes()
            else:
                yield np.packbits(block != 0, axis=1, bitorder="little").tobytes()


#: Returns the draws for samples of some sizes, B and seed; None where all outcomes are enumerated.
Drawn = Callable[[Sizes, int, int], Draws | None]
