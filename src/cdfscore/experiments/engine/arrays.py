"""Results of an experiment: arrays by name, one row per trial, alike for all trials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.errors import CdfscoreError
from cdfscore.io.text import a_type

Results = dict[str, NDArray[Any]]

KINDS = "biufcSUmM"
"""Kinds of arrays that are plain data: numbers, text and dates, as in `numpy.dtype.kind`."""


def require_alike(
    experiment: object, trials: range, results: Results, found: Mapping[range, Results]
) -> None:
    """Raise `CdfscoreError` unless there is one row per trial, and all else is as in `found`."""
    returned = f"{type(experiment).__name__}.run returned, for trials {_named(trials)},"
    if not isinstance(results, dict) or not results:
        raise CdfscoreError(f"{returned} {results!r:.60}; expected a dict of arrays")
    for name, array in results.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in KINDS:
            kind = a_type(array)
            kind += f" of {array.dtype}" if isinstance(array, np.ndarray) else ""
            raise CdfscoreError(
                f"{returned} as {name!r} {kind}; expected an array of numbers, text or dates"
            )
        if array.shape[:1] != (len(trials),):
            raise CdfscoreError(
                f"{returned} {name!r} of shape {array.shape}; expected {len(trials)} rows"
            )
    for other, expected in found.items():
        if _form(results) != _form(expected):
            raise CdfscoreError(
                f"{returned} {_form(results)}; expected {_form(expected)}, as for trials "
                f"{_named(other)}"
            )
        break  # those found are alike


def _form(results: Results) -> dict[str, str]:
    return {name: f"{a.dtype} {('trials', *a.shape[1:])}" for name, a in sorted(results.items())}


def _named(trials: range) -> str:
    return f"{trials.start} to {trials.stop - 1}"
