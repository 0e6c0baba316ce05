"""Settings of a wrong type or out of range are refused in one sentence; NumPy's are numbers."""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, load_factors, parse_scheme, save_factors, scheme_names
from cdfscore.errors import SchemeError
from cdfscore.stats import schemes
from cdfscore.stats.numerics.numbers import shown
from cdfscore.stats.schemes import Empirical, Raw, Uniform
from cdfscore.stats.schemes.base import schemes as catalogue
from cdfscore.stats.schemes.empirical import POSITIONS, Position
from cdfscore.stats.schemes.kernel import BOUNDARIES, BoundaryName
from tests.suited import suited

# Class, setting, what is expected instead.
NUMBERS = [
    ("Uniform", "A", "a number above 0"),
    ("Uniform", "B", "a number in [0, 1]"),
    ("Logspline", "penalty", "a number from 0 on"),
    ("Logspline", "low", "a finite number"),
    ("Logspline", "high", "a finite number"),
    ("Kernel", "bandwidth", "a number above 0, or nrd0, "),
    ("Empirical", "position", "a number from 0 to 1, 'hazen', "),
    ("TruncatedNormal", "low", "finite numbers with low < high"),
    ("TruncatedNormal", "high", "finite numbers with low < high"),
    ("ZeroInflated", "at", "a finite number"),
    ("FromScipy", "floc", "a finite number"),
    ("FromScipy", "fscale", "a number above 0"),
]
WHOLE = [
    ("Mixture", "starts", "a whole number from 0 to 1000"),
    ("Mixture", "seed", "a whole number from -2147483647 to 2147483647"),
    ("BetaBinomial", "size", "a whole number from 2 to 1000"),
]
WORDS = [
    ("Kernel", "kernel", "one of gaussian, "),
    ("Kernel", "boundary", "one of none, "),
    ("Empirical", "convention", "one of weak, strict, mid"),
    ("Beta", "method", "one of ml, moments"),
    ("Beta", "ends", "one of raise, shrink"),
    ("FromScipy", "dist", "one of norm, laplace, "),
    ("ZeroInflated", "family", "a distribution such as gamma"),
]
NO_NUMBERS = [
    *("1", True, np.True_, [0.5], np.array(0.5), np.array([0.5, 0.6]), np.full((2, 2), 0.5), 1j),
    *(b"1", Fraction(1, 2), np.nan, np.inf, np.float32(np.inf), np.longdouble(np.nan), 10**400),
]
NO_WHOLE_NUMBERS = [*NO_NUMBERS, np.array(10), 10.0, np.float64(10), None, -(2**31)]
NO_WORDS = [3, ["gaussian"], np.array(["weak", "raise"]), None, b"gaussian", "a word (of none"]


@pytest.mark.parametrize(
    ("scheme", "setting", "expected", "value"),
    [
        (*row, value)
        for rows, values in ((NUMBERS, NO_NUMBERS), (WHOLE, NO_WHOLE_NUMBERS), (WORDS, NO_WORDS))
        for row in rows
        for value in values
    ],
)
def test_a_setting_of_a_wrong_type_is_refused(
    scheme: str, setting: str, expected: str, value: object
) -> None:
    member = getattr(schemes, scheme)
    with pytest.raises(SchemeError, match=re.escape(f"expected {expected}")) as caught:
        member(**{setting: value})
    told = str(caught.value)
    assert told.startswith(f"{member.name}: ")
    seen = bool(value) if isinstance(value, np.bool_) else value
    assert f"{setting}={shown(seen)}" in told
    assert "\n" not in told


# Schemes with numbers that no narrower type than a double holds, for the next two tests.
SCALARS = [
    ("Uniform", {"A": 0.15, "B": 0.3}),
    ("Uniform", {"A": 3, "B": 1}),
    ("Logspline", {"penalty": 2.2, "low": -0.1, "high": 1.1}),
    ("Kernel", {"bandwidth": 0.07}),
    ("Empirical", {"position": 0.3, "interpolation": "linear"}),
    ("TruncatedNormal", {"low": -0.1, "high": 1.1}),
    ("ZeroInflated", {"family": "kernel(bandwidth=0.1)", "at": 0.1}),
    ("FromScipy", {"dist": "beta", "floc": -0.1, "fscale": 1.3}),
    ("Uniform", {"A": 1e-6}),
    ("FromScipy", {"dist": "gamma", "f0": 2.1, "floc": -0.1}),
    ("Mixture", {"starts": 3, "seed": 100}),
    ("BetaBinomial", {"size": 100}),
]
TYPES = [np.float16, np.float32, np.float64, np.longdouble, np.int8, np.uint16, np.int64]
SCORES = [[0.05, 0.1, 0.12, 0.2, 0.24, 0.3, 0.33, 0.4, 0.55, 0.7, 0.71, 0.9]]


def _has_kind(kind: type[np.number], value: object) -> bool:
    whole = issubclass(kind, np.integer)
    return type(value) is (int if whole else float)


def test_every_number_of_a_scheme_is_among_the_scalars() -> None:
    numbers = {
        (member.__name__, field.name)
        for name in catalogue.names()
        for member in [catalogue.load(name)]
        for field, hint in zip(
            dataclasses.fields(member), catalogue._settings(member).values(), strict=True
        )
        if {int, float} & {hint, *get_args(hint)}
    }
    shapes_alike = {("FromScipy", f"f{i}") for i in (1, 2, 3)}
    assert numbers - shapes_alike == {
        (name, setting)
        for name, settings in SCALARS
        for setting, value in settings.items()
        if not isinstance(value, str)
    }


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "settings", "kind"),
    [
        (name, settings, kind)
        for name, settings in SCALARS
        for kind in TYPES
        if any(map(partial(_has_kind, kind), settings.values()))
    ],
)
def test_a_number_of_numpy_is_that_of_python(
    name: str, settings: dict[str, Any], kind: type[np.number], tmp_path: Path
) -> None:
    """The same bits of y and of quantiles, also from a file."""
    scalars, plain = dict(settings), dict(settings)
    for setting, value in settings.items():
        if _has_kind(kind, value):
            scalars[setting] = kind(value)
            plain[setting] = type(value)(kind(value))
    member = getattr(schemes, name)
    scheme, expected = member(**scalars), member(**plain)
    assert scheme == expected
    types, of_python = ([*map(type, each.settings().values())] for each in (scheme, expected))
    assert types == of_python
    table = pd.DataFrame(SCORES, ["1"], [f"s{i}" for i in range(len(SCORES[0]))])
    factors = Standardizer(scheme).fit(table)
    save_factors(factors, tmp_path / "factors.json")
    fitted = expected.fit(SCORES)
    for found in (factors.fitted, load_factors(tmp_path / "factors.json").fitted):
        assert found(SCORES).dtype == np.float64
        assert found(SCORES).tobytes() == fitted(SCORES).tobytes()
        assert found.quantile([[0.1, 0.5]]).tobytes() == fitted.quantile([[0.1, 0.5]]).tobytes()


@dataclass(frozen=True)
class Shifted(Raw):
    """A scheme of a user, without any check."""

    by: float = 0.1
    word: str = "a"
    whole: int = 1


@dataclass(frozen=True)
class CheckedShift(Shifted):
    """Its check sees the converted settings, and need not call that of its base."""

    def __post_init__(self) -> None:
        assert type(self.by) is float


class Checks:
    def __post_init__(self) -> None:
        assert type(self.by) is float


@dataclass(frozen=True)
class ShiftCheckedElsewhere(Checks, Shifted):
    """Its check is of a class that is no scheme."""


@dataclass(frozen=True)
class ShiftOfMore(CheckedShift):
    """A setting more than its base."""

    more: float = 2.0


@pytest.mark.parametrize("member", [Shifted, CheckedShift, ShiftCheckedElsewhere, ShiftOfMore])
@pytest.mark.parametrize("kind", [np.float32, np.longdouble])
def test_settings_of_a_plug_in_are_those_of_python(
    member: type[Shifted], kind: type[np.floating]
) -> None:
    given = {"by": kind("0.15"), "word": np.str_("b"), "whole": np.int8(3)}
    scheme = member(**given)
    kept = {name: getattr(scheme, name) for name in given}
    assert kept == {"by": float(kind("0.15")), "word": "b", "whole": 3}
    assert [*map(type, kept.values())] == [float, str, int]
    assert scheme.settings().items() >= kept.items()
    again = dataclasses.replace(scheme, by=kind("0.25"))
    assert (again.by, type(again.by)) == (0.25, float)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("position", "hazel"), ("position", -0.1), ("position", 1.5), ("interpolation", "cubic")],
)
def test_other_words_and_positions_of_e_std_are_refused(setting: str, value: float | str) -> None:
    told = f"^empirical: {setting}={value!r} is not accepted.*; exp"
    with pytest.raises(SchemeError, match=told):
        Empirical(**{setting: value})
    with pytest.raises(SchemeError, match=f"^empirical: {setting}={value} is not accepted.*; exp"):
        parse_scheme(f"empirical:{setting}={value}")


@pytest.mark.parametrize(
    ("names", "registry"),
    [(BoundaryName, BOUNDARIES), (Position, POSITIONS)],
)
def test_a_literal_has_the_names_of_the_registry(names: Any, registry: Mapping[str, Any]) -> None:
    assert get_args(names) == tuple(registry)


@pytest.mark.parametrize("kind", [np.float32, np.longdouble])
def test_a_number_that_is_0_as_a_double_is_refused(kind: type[np.floating]) -> None:
    with pytest.raises(SchemeError, match=r"A=0\.0 is not accepted"):
        Uniform(A=kind("1e-400"))


@pytest.mark.clause("factors_json.1")
def test_parameters_are_in_the_order_of_their_names() -> None:
    """Factors that are loaded have this order; with another one, equal factors made two files."""
    scores = np.random.default_rng(1).beta(2, 5, (2, 14)).round(3)
    for name in (*scheme_names(), "from_scipy:dist=norm"):
        scheme = parse_scheme(name)
        fitted = scheme.fit(suited(scheme, scores))
        assert list(fitted.parameters) == scheme.parameter_names(), name
