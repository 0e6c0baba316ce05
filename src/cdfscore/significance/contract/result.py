"""Result of a significance test, and the rows that the function of a test computes."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.numerics.types import Array, IntArray

#: The numbers of a result that R computes too, in the order of a table.
QUANTITIES = ("estimate", "stderr", "conf_low", "conf_high", "statistic", "parameter", "p_value")


@dataclass(frozen=True, eq=False)
class Rows:
    """Numbers that the function of a test computes, one per row.

    Each field is an array of shape (rows,) or one value for all rows. `statistic` and `p_value` are
    required. A row for which the test is undefined has NaN, and `reason` explains why.

    Examples
    --------
    >>> import numpy as np
    >>> from cdfscore.significance.contract import Rows
    >>> Rows(statistic=np.array([2.0, np.nan]), p_value=np.array([0.05, np.nan]),
    ...      method="my test", reason=np.array(["", "all scores are equal"])).p_value
    array([0.05,  nan])
    """

    statistic: Array | float
    p_value: Array | float
    estimate: Array | float = np.nan
    stderr: Array | float = np.nan
    conf_low: Array | float = np.nan
    conf_high: Array | float = np.nan
    #: Degrees of freedom, if the null distribution has a single number of them.
    parameter: Array | float = np.nan
    #: The Monte Carlo standard error of the p value.
    p_value_stderr: Array | float = np.nan
    #: Method, such as "exact" or "normal approximation with continuity correction".
    method: NDArray[np.str_] | str = ""
    #: Reason why there is no number; "" if there is one.
    reason: NDArray[np.str_] | str = ""
    #: Size of the terms that R takes the statistic from, where they cancel; for comparisons with R.
    statistic_terms: Array | float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class TestResult:
    """Result of a significance test: each field has one value per sample of a batch, shape (...).

    The fields are those of R's ``htest``. A field is NaN if the test does not compute it.

    - `n` is the number of scores used, or of pairs in a paired test. `n_y` is that of the second
      sample of an unpaired test; otherwise it equals `n`.
    - `parameter` is the number of degrees of freedom, if there is only one.
    - `p_value_stderr` is the Monte Carlo standard error of the p value.
    - `alternative` is "" if the test has no such setting.
    - `method` names the method that was used. `reason` explains why there is no p value.
    - `statistic_terms` is for comparisons with R: the size of the terms from which R computes the
      statistic, if they cancel; otherwise 0.

    Examples
    --------
    >>> from cdfscore.significance import paired_t
    >>> found = paired_t([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> type(found).__name__, round(float(found.p_value), 4), found.conf_int.round(3).tolist()
    ('TestResult', 0.1027, [-0.055, 0.355])
    """

    __test__ = False  # for pytest, which takes the name for that of a test

    statistic: Array
    p_value: Array
    estimate: Array
    stderr: Array
    conf_low: Array
    conf_high: Array
    parameter: Array
    p_value_stderr: Array
    method: NDArray[np.str_]
    reason: NDArray[np.str_]
    statistic_terms: Array
    n: IntArray
    n_y: IntArray
    null_value: float
    alternative: str
    conf_level: float

    @property
    def conf_int(self) -> Array:
        """Ends of the confidence interval, shape (..., 2)."""
        return np.stack([self.conf_low, self.conf_high], axis=-1)

    def terms(self, quantity: str) -> Array:
        """Return the size of the terms of a sum: its rounding error is proportional to it.

        An end of an interval is the estimate and a margin, and may be near 0 by cancelling. So
        may a statistic whose test gives its terms.
        """
        value = np.abs(getattr(self, quantity))
        if quantity == "statistic":
            return np.asarray(np.maximum(value, self.statistic_terms))
        if quantity not in ("conf_low", "conf_high"):
            return np.asarray(value)
        null = 0.0 if np.isnan(self.null_value) else abs(self.null_value)
        return terms_of_end(getattr(self, quantity), self.estimate, null)

    def __repr__(self) -> str:
        if np.ndim(self.p_value):
            return f"<{np.shape(self.p_value)} results>"
        shown = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in ("reason", "p_value_stderr", "statistic_terms", "n_y")
        }
        return "\n".join(
            f"{name:<12}{_shown(value)}"
            for name, value in shown.items()
            if not _is_nan(value) and not (name == "alternative" and value == "")
        )


def terms_of_end(end: Array, estimate: Array, null: float = 0.0) -> Array:
    """Return the size of the terms of an end of an interval; 0 where it is infinite or NaN."""
    with np.errstate(invalid="ignore"):  # an infinite estimate and end
        margin = np.abs(end - estimate)
    return np.asarray(np.where(np.isfinite(margin), np.abs(estimate) + margin + null, 0))


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and bool(np.isnan(value))


def assembled(
    shape: tuple[int, ...],
    parts: list[tuple[NDArray[np.intp], Rows]],
    n: IntArray,
    n_y: IntArray,
    settings: dict[str, Any],
) -> TestResult:
    """Join the rows of the parts, each with the indices of its rows, into one result."""
    rows = joined_rows(math.prod(shape), parts)
    return TestResult(
        **{name: np.asarray(value).reshape(shape)[()] for name, value in vars(rows).items()},
        n=n.reshape(shape)[()],
        n_y=n_y.reshape(shape)[()],
        null_value=float(settings.get("null_value", np.nan)),
        alternative=str(settings.get("alternative", "")),
        conf_level=float(settings.get("conf_level", np.nan)),
    )


def joined_rows(size: int, parts: list[tuple[NDArray[np.intp], Rows]]) -> Rows:
    """Join the rows of the parts, each with the indices of its rows, into arrays of one size."""
    values: dict[str, Any] = {}
    for field in fields(Rows):
        pieces = [
            (rows, np.broadcast_to(getattr(part, field.name), rows.shape)) for rows, part in parts
        ]
        text = field.name in ("method", "reason")
        kind = np.result_type("<U1", *(piece for _, piece in pieces)) if text else np.float64
        column = np.full(size, "" if text else np.nan, dtype=kind)
        for rows, piece in pieces:
            column[rows] = piece
        values[field.name] = column
    return Rows(**values)
