"""Members of a package by name: schemes, significance tests, effect sizes.

The list is the package's ``__init__.pyi``, and other packages add members by entry points.
The member ``from_scipy`` is the class ``FromScipy`` of ``from_scipy.py``, next to its R twin
``from_scipy.R``. Listing names imports nothing; a member is imported when it is loaded.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib.metadata import entry_points, packages_distributions, version
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from cdfscore.common.text import number
from cdfscore.errors import CdfscoreError, PlugInError, alternatives, did_you_mean


class _Place(NamedTuple):
    """Where a member is: its distribution, module and name there."""

    of: str
    module: str
    symbol: str


@dataclass(frozen=True)
class Catalogue:
    """Members of a package, and those of the entry point group of its short name.

    A name in the package's list is a member if an R twin has its stem: ``FromScipy`` is one, as
    there is ``from_scipy.R``. Of a module, all but base classes are. Dashes in what is asked for
    stand for underscores.
    """

    package: str
    kind: str
    error: type[CdfscoreError]
    #: Labels of papers, in lower case, that are one member exactly.
    labels: Mapping[str, str] = field(default_factory=dict)
    #: Names from elsewhere in the form of `_words`, each with the members that it may mean.
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def _places(self) -> dict[str, list[_Place]]:
        package = importlib.import_module(self.package)
        folder = Path(str(package.__file__)).parent
        one_file = not hasattr(package, "__path__")
        symbols: dict[str, str] = {}
        for symbol in package.__all__:
            stem = stem_of(symbol)
            if (
                not inspect.isabstract(getattr(package, symbol))
                if one_file
                else (folder / f"{stem}.R").exists()
            ):
                symbols[stem] = symbol
        return self._with_plug_ins({stem: (self.package, symbols[stem]) for stem in symbols})

    def _with_plug_ins(self, ours: dict[str, tuple[str, str]]) -> dict[str, list[_Place]]:
        places = {name: [_Place("cdfscore", *ours[name])] for name in ours}
        for point in entry_points(group=self.package.replace(".stats.", ".")):
            found = f"{point.dist.name} {point.dist.version}" if point.dist else point.module
            name = point.name.replace("-", "_")
            place = _Place(found, point.module, point.attr or self._symbol(name))
            places.setdefault(name, []).append(place)
        return places

    def names(self) -> list[str]:
        """List the names of all members but those that two packages have."""
        return [name for name, places in self._places.items() if len(places) == 1]

    def load(self, name: str) -> Any:
        """Import the member `name`; raises `error` when there is none, or it cannot be imported."""
        places = self._places.get(name.replace("-", "_"), [])
        if len(places) > 1:
            raise self.error(
                f"the {self.kind} {name!r} is in {' and in '.join(each.of for each in places)}; "
                "expected one of them, without the others in the environment"
            )
        if not places:
            raise self.error(f"there is no {self.kind} {name!r}{self._instead(name)}")
        _, module, symbol = places[0]
        failed = f"the {self.kind} {name!r} cannot be loaded"
        try:
            imported = importlib.import_module(module)
        except (Exception, SystemExit) as error:  # a plug-in may raise anything
            if module == self.package:
                raise
            raise self.error(
                f"{failed}: the plug-in module {module} cannot be imported "
                f"({type(error).__name__}: {' '.join(str(error).split())})"
            ) from error
        try:
            member = getattr(imported, symbol)
        except (ImportError, AttributeError) as error:
            raise self.error(f"{failed}: expected {symbol} in the module {module} ({error})") from (
                error
            )
        if module != self.package:
            if replaced := next(_replaced_by(module.partition(".")[0]), ""):
                raise self.error(
                    f"{failed}: the plug-in module {module} replaces {replaced} when it is "
                    "imported; expected a module that changes nothing of cdfscore"
                )
            wrong = self.fault(member)
            if wrong:
                raise self.error(f"{failed}: {symbol} in the module {module} {wrong}")
        return member

    def fault(self, member: Any) -> str:
        """Say what is wrong with a member of a plug-in, after its name; "" for nothing."""
        return ""

    def spellings(self, start: str) -> list[str]:
        """List names, settings of a name or values of a setting, whatever comes next in `start`."""
        name, colon, rest = start.partition(":")
        if not colon:
            return self.names()
        settings = self._settings(self.load(self.labels.get(name.casefold(), name)))
        done, comma, last = rest.rpartition(",")
        key, equals, _ = last.partition("=")
        words = types_and_words(settings.get(key.replace("-", "_")))[1] if equals else ()
        ends = [f"{key}={word}" for word in words] if equals else [f"{each}=" for each in settings]
        return [f"{name}:{done}{comma}{end}" for end in ends]

    def parse(self, text: str) -> Any:
        """Make a member from its command-line spelling, ``name`` or ``name:key=value,...``."""
        name, colon, rest = text.strip().partition(":")
        name = self.labels.get(name.casefold(), name)
        settings: dict[str, str] = {}
        for part in rest.split(",") if colon else ():
            key, equals, value = (piece.strip() for piece in part.partition("="))
            key = key.replace("-", "_")
            if not equals or not key or not value:
                raise self.error(f"{text!r}: {part!r} is not of the form key=value")
            if key in settings:
                raise self.error(f"{text!r}: the setting {key!r} is given twice")
            settings[key] = value
        return self.make(name, settings)

    def make(self, name: str, settings: dict[str, Any]) -> Any:
        """Make the member `name` from its settings; numbers may be given as text."""
        member = self.load(name)
        hints = self._settings(member) if settings else {}  # they cost as much as a fit
        for key in settings:
            if key not in hints:
                raise self.error(self._no_setting(member, name, key))
        converted = {
            key: self._convert(name, key, value, hints[key]) for key, value in settings.items()
        }
        return self._made(member, converted)

    def _instead(self, name: str) -> str:
        words = _words(name)
        names = self.names()
        meant = [each for each in self.elsewhere.get(words, ()) if each in names]
        if not meant and words:
            meant = [each for each in names if f"_{words}_" in f"_{each}_"]
        if len(meant) > 1:
            return f", which may mean {alternatives(meant)}; expected one of these names"
        near = f" (did you mean {meant[0]!r}?)" if meant else did_you_mean(name, names)
        return f"{near}; expected {', '.join(names)}"

    def _symbol(self, name: str) -> str:
        return "".join(word.capitalize() for word in name.split("_"))

    def _settings(self, member: Any) -> dict[str, Any]:
        hints = typing.get_type_hints(member)
        return {field.name: hints[field.name] for field in fields(member)}

    def _no_setting(self, member: Any, name: str, key: str) -> str:
        known = ", ".join(self._settings(member))
        return f"{name} has no setting {key!r}; " + (
            f"its settings are {known}" if known else "it has no settings"
        )

    def _made(self, member: Any, settings: dict[str, Any]) -> Any:
        return member(**settings)

    def _convert(self, name: str, key: str, value: Any, hint: Any) -> Any:
        accepted, words = types_and_words(hint)
        if type(None) in accepted and str(value) == "None":
            return None
        as_number = number(str(value))
        if int in accepted and as_number is not None and as_number.is_integer():
            return int(as_number)
        if float in accepted and as_number is not None:
            return as_number
        if bool in accepted and str(value).lower() in _TRUTH_VALUES:
            return _TRUTH_VALUES[str(value).lower()]
        if str in accepted:
            return value
        typed = str(value).replace("-", "_")
        for word in words:
            if str(word).replace("-", "_") == typed:
                return word
        kinds = ((float, "a number"), (int, "a whole number"), (bool, "true or false"))
        expected = [
            *(words_for for kind, words_for in kinds if kind in accepted),
            *map(repr, words),
        ]
        hint = did_you_mean(str(value), map(str, words))
        raise self.error(
            f"{name}: {key}={value} is not accepted{hint}; expected {' or '.join(expected)}"
        )


@dataclass(frozen=True)
class FunctionCatalogue(Catalogue):
    """Catalogue of functions: a member is the function with the name of its module."""

    def _symbol(self, name: str) -> str:
        return name


@dataclass(frozen=True, eq=False)
class Part:
    """Part of a scheme. One of a person's own has a function, and an R twin in the file beside."""

    #: The name of the function in R.
    in_r: ClassVar[str]

    name: str
    function: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if self.function is not None:
            object.__setattr__(self, "__module__", self.function.__module__)

    def twin(self) -> Path:
        """Return the path of the R twin."""
        own = inspect.unwrap(self.function or type(self))
        return Path(inspect.getfile(own)).with_name(f"{self.name}.R")

    @property
    def whose(self) -> str:
        """The function and its package, for messages."""
        return f"the function {self.name} of {distribution(self.__module__)}"


@dataclass(frozen=True, eq=False)
class Parts(FunctionCatalogue, Mapping[str, Any]):
    """Parts of a scheme by name: ours, those of plug-ins, and those of the session.

    ``package`` names the group of entry points. A decorator adds a part where its function is
    defined, so that a plug-in adds it when its module is imported.
    """

    own: dict[str, Part] = field(default_factory=dict)

    @cached_property
    def _places(self) -> dict[str, list[_Place]]:
        ours = {name: part for name, part in self.own.items() if not origin(part.__module__)}
        return self._with_plug_ins({name: (ours[name].__module__, name) for name in ours})

    def names(self) -> list[str]:
        """List the names of all parts."""
        every = dict.fromkeys([*self._places, *self.own])
        return [name for name in every if len(self._places.get(name, ())) < 2]

    def add(self, part: Part) -> None:
        """Add a part; raises `error` without a name, or if another package has one of the name."""
        name, module = part.name, part.__module__
        if not name.isidentifier():
            raise self.error(f"a {self.kind} has the name {name!r}; expected a function with def")
        places = self._places.get(name, []) if part.function is not None else []
        modules = [each.module for each in places]  # a plug-in may not be imported yet
        if len(modules) > 1 and module in modules:
            return  # its other members work, and `load` refuses this one
        there = self.own[name].__module__ if name in self.own else next(iter(modules), "")
        if there and there.partition(".")[0] != module.partition(".")[0]:
            raise self.error(
                f"the module {module} adds a {self.kind} named {name!r}, which {there} already "
                "has; expected another name"
            )
        self.own[name] = replace(part, function=of_author(part.function, f"{self.kind} {name}"))

    def load(self, name: str) -> Any:
        """Return the part `name`; raises `error` as for other members."""
        name = name.replace("-", "_")
        if name not in self.own or len(self._places.get(name, ())) > 1:
            super().load(name)
        return self.own[name]

    def fault(self, member: Any) -> str:
        """Say of a function that it is not a part."""
        name = getattr(member, "__name__", "")
        return "" if name in self.own else f"is not a {self.kind}; expected its decorator"

    def __getitem__(self, name: str) -> Any:
        return self.load(name)

    def __contains__(self, name: object) -> bool:
        name = str(name).replace("-", "_")
        return name in self.own or name in self._places  # also what `load` refuses

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())


def of_author(function: Any, whose: str) -> Any:
    """Return a function that says whose it is where it raises; one of cdfscore, as it is."""
    module = str(getattr(function, "__module__", "cdfscore"))
    if not callable(function) or module.partition(".")[0] in ("cdfscore", "functools"):
        return function

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (CdfscoreError, MemoryError):
            raise
        except (Exception, SystemExit) as error:  # a plug-in may raise anything
            raise PlugInError(
                f"{whose}: the function {called.__name__} of {distribution(module)} raises "
                f"{type(error).__name__}: {' '.join(str(error).split())}"
            ) from error

    return called


_TRACE = "not of cdfscore: "


def traces(members: Iterable[Any]) -> list[str]:
    """Return whose each member is that does not come with cdfscore, with its name."""
    found: dict[str, None] = {}
    for member in members:
        if own := origin(member.__module__):
            found[f"{_TRACE}{member.name}, which is of {own}"] = None
    return list(found)


def note_of(whose: str, note: str) -> str:
    """Return a note with the scheme or file that it is of; a trace is of its member alone."""
    return note if note.startswith((_TRACE, f"{whose}: ")) else f"{whose}: {note}"


@cache
def origin(module: str) -> str:
    """Return the distribution, version and digest of the code of a module; "" for one of ours."""
    top = module.partition(".")[0]
    if top == "cdfscore":
        return ""
    whose = distribution(module)
    files_of = [getattr(sys.modules.get(each), "__file__", None) for each in (top, module)]
    file = files_of[0] or files_of[1]
    if file is None:  # such as a notebook
        return whose
    path = Path(file)
    files = [path] if path.stem != "__init__" else path.parent.rglob("*.*")
    found = hashlib.sha256()
    for each in sorted(files):
        if each.suffix in (".py", ".R") and each.is_file():
            found.update(each.read_bytes())
    return f"{whose}, code {found.hexdigest()[:12]}"


def distribution(module: str) -> str:
    """Return the distribution and version of a module, or that it is of none."""
    names = packages_distributions().get(module.partition(".")[0])
    return f"{names[0]} {version(names[0])}" if names else f"the module {module}"


def _replaced_by(top: str) -> Iterator[str]:
    """Yield the names in cdfscore whose function or class is of another package."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "cdfscore" or top == "cdfscore":
            continue
        own = [each for each in vars(module).values() if getattr(each, "__module__", "") == name]
        owners: list[Any] = [module, *(each for each in own if isinstance(each, type))]
        for owner in owners:
            for attribute, value in list(vars(owner).items()):
                plain = getattr(value, "fget", None) or getattr(value, "func", None) or value
                if str(getattr(plain, "__module__", "")).partition(".")[0] == top:
                    yield ".".join([name, *[owner.__name__] * (owner is not module), attribute])


def types_and_words(hint: Any) -> tuple[list[Any], list[Any]]:
    """Return the types that a setting may have, and the words that it may be."""
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    members = typing.get_args(hint) if union else (hint,)
    literals = [each for each in members if typing.get_origin(each) is typing.Literal]
    words = [word for each in literals for word in typing.get_args(each)]
    return [each for each in members if each not in literals], words


def _words(name: str) -> str:
    """Return a name as a stem, without "test": "T-Test" and "ttest" are "t"."""
    stem = "_".join(re.findall(r"[^\W_]+", name.casefold()))
    return stem.removesuffix("test").removesuffix("_")


def stem_of(symbol: str) -> str:
    """Return the file stem of a class or function: ``FromScipy`` has ``from_scipy``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", symbol).lower()


_TRUTH_VALUES = {"true": True, "false": False}
