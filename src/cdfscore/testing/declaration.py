"""Checks of the declaration of a scheme."""

from __future__ import annotations

import dataclasses
import pickle

from cdfscore.numerics.tolerance import Tolerance
from cdfscore.schemes.registry import schemes
from cdfscore.testing.contract import Check, Subject, require


def settings_are_a_frozen_dataclass(subject: Subject) -> None:
    """The class is decorated with ``@dataclass(frozen=True)``."""
    cls = type(subject.scheme)
    decorated = getattr(cls, "__dataclass_params__", None)  # that base classes lack
    require(
        decorated is not None and decorated.frozen,
        f"{cls.__name__} is not decorated; expected @dataclass(frozen=True)",
    )


def settings_have_defaults(subject: Subject) -> None:
    """Every setting has a default."""
    nothing = dataclasses.MISSING
    for field in dataclasses.fields(subject.scheme):
        given = field.default is not nothing or field.default_factory is not nothing
        require(given, f"the setting {field.name} has no default; expected one for each setting")


def settings_are_plain(subject: Subject) -> None:
    """Every setting is a number, text or None, so that it can be spelled and saved."""
    for name, value in subject.scheme.settings().items():
        require(
            isinstance(value, (int, float, str)),
            f"the setting {name} is {value!r}; expected a number, text or None",
        )


def scheme_is_picklable(subject: Subject) -> None:
    """Pickling gives back an equal scheme."""
    again = pickle.loads(pickle.dumps(subject.scheme))
    require(again == subject.scheme, f"pickling gives back {again!r}; expected an equal scheme")


def documentation_is_there(subject: Subject) -> None:
    """The scheme has a docstring, a formula and a source."""
    cls = type(subject.scheme)
    text = cls.__doc__ or ""
    written = text.strip() and not text.startswith(f"{cls.__name__}(")  # what dataclass writes
    require(bool(written), f"{cls.__name__} has no docstring; expected formula, source, errors")
    for name in ("formula", "source"):
        value = getattr(cls, name, None)
        require(
            isinstance(value, str) and bool(value.strip()),
            f"{name} is {value!r}; expected a sentence",
        )


def tolerance_has_a_reason(subject: Subject) -> None:
    """The tolerance is a number of ulp up to the cap, with the reason for it."""
    stated = subject.scheme.tolerance
    require(
        isinstance(stated, Tolerance),
        f"tolerance is {stated!r}; expected one such as Tolerance(16, 'two solvers')",
    )
    require(not stated.fault, stated.fault)


def catalogue_member_has_a_spelling_and_a_twin(subject: Subject) -> None:
    """A catalogue member can be parsed from its spelling and has an R twin."""
    scheme = subject.scheme
    if scheme.name not in schemes.names() or schemes.load(scheme.name) is not type(scheme):
        return
    parsed = schemes.parse(str(scheme))
    require(parsed == scheme, f"{str(scheme)!r} is read as {parsed!r}; expected {scheme!r}")
    twin = scheme.twin()
    require(
        twin.is_file(), f"there is no R twin {twin.name} in the folder of the module; expected one"
    )


CHECKS: tuple[Check, ...] = (
    settings_are_a_frozen_dataclass,
    settings_have_defaults,
    settings_are_plain,
    scheme_is_picklable,
    documentation_is_there,
    tolerance_has_a_reason,
    catalogue_member_has_a_spelling_and_a_twin,
)
