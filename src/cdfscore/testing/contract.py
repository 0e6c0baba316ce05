"""Common parts of the checks: seeded scores, and the error that names the check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Fitted, Scheme


class ContractError(AssertionError):
    """Raised by `check_distribution` if a scheme violates the contract.

    It is an `AssertionError`. The message names the scheme, the check, and what is expected.

    Examples
    --------
    >>> from cdfscore.testing import ContractError, check_distribution
    >>> try:
    ...     check_distribution("normal")
    ... except ContractError as error:
    ...     print(str(error).partition(";")[0])
    'normal' is not a scheme
    """


@dataclass(frozen=True)
class Subject:
    """A scheme under test, with seeded scores: 3 topics, 9 or more reference systems."""

    scheme: Scheme
    within: tuple[float, float]
    seed: int

    def run(self, check: Check) -> None:
        """Run a check; an error of the scheme is a failure of the check."""
        name = check.__name__.replace("_", " ")
        try:
            check(self)
        except ContractError as error:
            raise ContractError(f"{self.spelled}: {name}: {error}") from error
        except SchemeError as error:  # a method returned something else than the contract says
            reason = str(error).removeprefix(f"{self.scheme.name}: ")
            raise ContractError(f"{self.spelled}: {name}: {reason}") from error
        except Exception as error:
            raise ContractError(
                f"{self.spelled}: {name}: {type(error).__name__} was raised ({error}); "
                "expected no error"
            ) from error

    @property
    def spelled(self) -> str:
        """The spelling of the scheme, or its class if that fails."""
        try:
            return str(self.scheme)
        except Exception:
            return type(self.scheme).__name__

    @property
    def systems(self) -> int:
        """The number of reference systems, some of which may have missing scores."""
        return max(9, self.scheme.minimum_scores + 4)

    def drawn(self, *shape: int) -> Array:
        """Draw scores in `within`, with ties: the last of a row equals the first."""
        low, high = self.within
        share = np.random.default_rng(self.seed).random(shape).round(3)
        scores = self.on_grid(low + (high - low) * (0.05 + 0.9 * share))
        scores[..., -1] = scores[..., 0]
        return scores

    def on_grid(self, scores: Array) -> Array:
        """Move scores to the grid of the scheme, if it has one."""
        grid = self.scheme.grid
        return scores if grid is None else np.round(scores / grid) * grid

    @cached_property
    def scores(self) -> Array:
        """Reference scores without missing values; shape (3, systems)."""
        return self.drawn(3, self.systems)

    @cached_property
    def fitted(self) -> Fitted:
        """The scheme fitted to `scores`."""
        return self.scheme.fit(self.scores)

    @cached_property
    def x(self) -> Array:
        """Scores to standardize: some equal to reference scores, between and outside; (3, 5)."""
        s = self.scores
        low, high = self.within
        ends = np.array([low - 0.25 * (high - low), high + 0.25 * (high - low)])
        middle = (s[:, 1] + s[:, 2]) / 2
        return np.column_stack([s[:, :2], middle, np.broadcast_to(ends, (3, 2))])


Check = Callable[[Subject], None]


def require(holds: bool | np.bool_, sentence: str) -> None:
    """Raise `ContractError` with the sentence unless `holds`."""
    if not holds:
        raise ContractError(sentence)


def same_bits(a: Array, b: Array) -> bool:
    """Tell whether two arrays have the same shape and the same doubles; NaN equals NaN."""
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(
        np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)])
    )


def require_same(got: Array, expected: Array, given: str, wanted: str) -> None:
    """Require the same bits; the sentence shows the first place where they differ."""
    require(
        got.shape == expected.shape,
        f"{given} y has shape {got.shape}; expected {expected.shape}",
    )
    if same_bits(got, expected):
        return
    unlike = ~((got == expected) & (np.signbit(got) == np.signbit(expected)))
    place = tuple(int(i[0]) for i in np.nonzero(unlike & ~(np.isnan(got) & np.isnan(expected))))
    raise ContractError(
        f"{given} y{list(place)} is {float(got[place])!r}; "
        f"expected {float(expected[place])!r}, {wanted}"
    )
