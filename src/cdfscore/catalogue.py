"""Name -> member of a folder: the files of a folder are the list, and there is no other.

A folder's member ``from_scipy`` is the class ``FromScipy`` of its module ``from_scipy.py``,
beside which stands the R twin ``from_scipy.R``. Other packages add members by entry points.
Listing names imports nothing; a member is imported when it is asked for.
"""

from __future__ import annotations

import difflib
import importlib
import re
import types
import typing
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.errors import CdfscoreError, SchemeError, SignificanceError
from cdfscore.io.decimals import number

if TYPE_CHECKING:
    from cdfscore.schemes.base import Scheme
    from cdfscore.significance.contract.contract import ChosenTest


@dataclass(frozen=True)
class Catalogue:
    """The members of some packages and of an entry point group."""

    packages: tuple[str, ...]
    entry_point_group: str
    kind: str
    error: type[CdfscoreError]

    @cached_property
    def _modules(self) -> dict[str, str]:
        """Module by member name: the folders' own first, then those of other packages."""
        modules: dict[str, str] = {}
        for package in self.packages:
            folder = Path(str(importlib.import_module(package).__file__)).parent
            for path in sorted(folder.glob("*.py")):
                if not path.stem.startswith("_"):
                    modules[path.stem] = f"{package}.{path.stem}"
        for point in entry_points(group=self.entry_point_group):
            if point.name in modules:
                raise self.error(
                    f"entry point {point.value!r} adds a {self.kind} named {point.name!r}, "
                    f"which {modules[point.name]} has already; it must have another name"
                )
            modules[point.name] = point.value
        return modules

    def names(self) -> list[str]:
        """List the names of all members."""
        return list(self._modules)

    def load(self, name: str) -> Any:
        """Import the member `name`; raises `SchemeError` when there is none."""
        if name not in self._modules:
            near = difflib.get_close_matches(name, self._modules, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise self.error(
                f"there is no {self.kind} {name!r}{hint}; expected {', '.join(self._modules)}"
            )
        symbol = self._symbol(name)
        module = self._modules[name]
        try:
            return getattr(importlib.import_module(module), symbol)
        except (ImportError, AttributeError) as error:
            raise self.error(
                f"the {self.kind} {name!r} cannot be loaded: expected {symbol} in the "
                f"module {module} ({error})"
            ) from error

    def parse(self, text: str) -> Any:
        """Make a member from its command-line spelling, ``name`` or ``name:key=value,...``.

        Examples
        --------
        >>> from cdfscore.catalogue import schemes
        >>> schemes.parse("uniform:A=0.15,B=0.5")
        Uniform(A=0.15, B=0.5)
        """
        name, colon, rest = text.strip().partition(":")
        settings: dict[str, str] = {}
        for part in rest.split(",") if colon else ():
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or not key or not value:
                raise self.error(f"{text!r}: {part!r} is not of the form key=value")
            if key in settings:
                raise self.error(f"{text!r}: the setting {key!r} is given twice")
            settings[key] = value
        return self.make(name, settings)

    def make(self, name: str, settings: dict[str, Any]) -> Any:
        """Make the member `name` from its settings, numbers given as text or as numbers."""
        member = self.load(name)
        hints = self._settings(member)
        for key in settings:
            if key not in hints:
                raise self.error(
                    f"{name} has no setting {key!r}; "
                    + (f"its settings are {', '.join(hints)}" if hints else "it has no settings")
                )
        converted = {
            key: self._convert(name, key, value, hints[key]) for key, value in settings.items()
        }
        return self._made(member, converted)

    def _symbol(self, name: str) -> str:
        return "".join(word.capitalize() for word in name.split("_"))

    def _settings(self, member: Any) -> dict[str, Any]:
        """Return the settings of a member, each with its type."""
        hints = typing.get_type_hints(member)
        return {field.name: hints[field.name] for field in fields(member)}

    def _made(self, member: Any, settings: dict[str, Any]) -> Any:
        return member(**settings)

    def _convert(self, name: str, key: str, value: Any, hint: Any) -> Any:
        """Read `value` as the types that the setting is declared with; a number where it may be."""
        union = typing.get_origin(hint) in (typing.Union, types.UnionType)
        accepted = typing.get_args(hint) if union else (hint,)
        if type(None) in accepted and str(value) == "None":
            return None
        as_number = number(str(value))
        if int in accepted and as_number is not None and as_number.is_integer():
            return int(as_number)
        if float in accepted and as_number is not None:
            return as_number
        if bool in accepted and str(value).lower() in _TRUTH_VALUES:
            return _TRUTH_VALUES[str(value).lower()]
        words = [w for t in accepted if typing.get_origin(t) is typing.Literal for w in t.__args__]
        if value in words or str in accepted:
            return value
        kinds = ((float, "a number"), (int, "a whole number"), (bool, "true or false"))
        expected = [
            *(words_for for kind, words_for in kinds if kind in accepted),
            *map(repr, words),
        ]
        raise self.error(f"{name}: {key}={value} is not accepted; expected {' or '.join(expected)}")


@dataclass(frozen=True)
class FunctionCatalogue(Catalogue):
    """A catalogue of functions: a member is the function of its module's own name."""

    def _symbol(self, name: str) -> str:
        return name


@dataclass(frozen=True)
class TestCatalogue(FunctionCatalogue):
    """The significance tests: a member is a test, and one with settings is a `ChosenTest`."""

    __test__ = False  # for pytest, which takes the name for that of a test

    def _settings(self, member: Any) -> dict[str, Any]:
        hints = member.hints()
        return {name: hints[name] for name in member.defaults}

    def _made(self, member: Any, settings: dict[str, Any]) -> Any:
        return member.chosen(settings)


def member_of(package: str, symbol: str) -> Any:
    """Import the class `symbol` of `package`, for the package's module ``__getattr__``."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", symbol).lower()
    if (
        symbol[:1].isupper()
        and Path(importlib.import_module(package).__path__[0], f"{name}.py").exists()
    ):
        return getattr(importlib.import_module(f"{package}.{name}"), symbol)
    raise AttributeError(f"module {package!r} has no attribute {symbol!r}")


_TRUTH_VALUES = {"true": True, "false": False}

schemes = Catalogue(
    ("cdfscore.distributions", "cdfscore.linear"), "cdfscore.schemes", "scheme", SchemeError
)
significance_tests = TestCatalogue(
    ("cdfscore.significance",), "cdfscore.significance", "significance test", SignificanceError
)
effect_sizes = FunctionCatalogue(
    ("cdfscore.effect_size",), "cdfscore.effect_sizes", "effect size", SignificanceError
)


def scheme_names() -> list[str]:
    """List the names of all schemes: the distributions, the linear ones, and plug-ins.

    Examples
    --------
    >>> "empirical" in scheme_names()
    True
    """
    return schemes.names()


def parse_scheme(text: str) -> Scheme:
    """Make a scheme from its spelling, ``name`` or ``name:key=value,key=value``.

    Raises `SchemeError` for an unknown name or setting, or a value that is not accepted.

    Examples
    --------
    >>> parse_scheme("uniform:A=0.3")
    Uniform(A=0.3, B=0.5)
    """
    scheme: Scheme = schemes.parse(text)
    return scheme


def parse_test(text: str) -> ChosenTest:
    """Make a test with settings from its spelling, ``name`` or ``name:key=value,key=value``.

    Raises `SignificanceError` for an unknown name or setting, or a value that is not accepted.

    Examples
    --------
    >>> print(parse_test("paired_t:alternative=greater"))
    paired_t:alternative=greater
    """
    chosen: ChosenTest = significance_tests.parse(text)
    return chosen
