"""Checks of fitted schemes: parameters and storage."""

from __future__ import annotations

import json
import pickle

import numpy as np

from cdfscore.numerics.exact_mean import LARGEST, numerators
from cdfscore.testing.contract import Check, Subject, require, require_same


def parameters_are_published_as_arrays(subject: Subject) -> None:
    """Each parameter that `evaluate` takes is a read-only array (..., k)."""
    parameters = subject.fitted.parameters
    names = subject.scheme.parameter_names()
    require(
        sorted(parameters) == sorted(names),
        f"the parameters are {sorted(parameters)}; expected {sorted(names)}, the "
        "arguments of evaluate after x",
    )
    for name, values in parameters.items():
        require(
            values.dtype == np.float64 and values.ndim == 2 and values.shape[0] == 3,
            f"for scores of shape {subject.scores.shape} the parameter {name} is {values.dtype} "
            f"of shape {values.shape}; expected doubles of shape (3, k)",
        )
        require(not values.flags.writeable, f"the parameter {name} can be written to")


def restored_parameters_give_the_same_bits(subject: Subject) -> None:
    """`restore` of the parameters, written as JSON and read back, gives the same bits."""
    plain = {name: values.tolist() for name, values in subject.fitted.parameters.items()}
    restored = subject.scheme.restore(json.loads(json.dumps(plain)))
    expected = subject.fitted(subject.x)
    require_same(restored(subject.x), expected, "of parameters read back from JSON", "as before")


def restored_parameters_are_a_copy(subject: Subject) -> None:
    """`restore` leaves the caller's arrays as they are, and does not depend on them."""
    own = {name: values.copy() for name, values in subject.fitted.parameters.items()}
    restored = subject.scheme.restore(own)
    for name, values in own.items():
        require(values.flags.writeable, f"restore made the caller's own {name} read-only")
        values[...] = 0.0
    expected = subject.fitted(subject.x)
    require_same(restored(subject.x), expected, "after the caller changed them", "as before")


def fitted_scheme_is_picklable(subject: Subject) -> None:
    """A pickled fit gives the same bits."""
    again = pickle.loads(pickle.dumps(subject.fitted))
    expected = subject.fitted(subject.x)
    require_same(again(subject.x), expected, "of a fit that was pickled", "as before")


def counts_are_whole_numbers(subject: Subject) -> None:
    """If the scheme has `denominators`, y is a whole number divided by one, bit for bit."""
    denominators = subject.fitted.denominators
    if denominators is not None:
        whole = np.issubdtype(denominators.dtype, np.integer)
        require(whole, "denominators are no integers; expected an array of integers, or None")
        small = bool(np.all((denominators > 0) & (denominators < LARGEST)))
        require(small, "denominators are not from 1 to 2^32; expected these, or None")
        y = subject.fitted(subject.x)
        nearest = np.where(np.isnan(y), np.nan, numerators(y, denominators) / denominators)
        require_same(y, nearest, "of evaluate", "a whole number divided by its denominator")


CHECKS: tuple[Check, ...] = (
    parameters_are_published_as_arrays,
    restored_parameters_give_the_same_bits,
    restored_parameters_are_a_copy,
    fitted_scheme_is_picklable,
    counts_are_whole_numbers,
)
