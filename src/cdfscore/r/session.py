"""R code in a running R: each twin in its own environment, many topics in one call."""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from cdfscore.errors import RNotAvailableError, VerificationError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme

HOW_TO_INSTALL = "install it (Debian: apt-get install r-base-core; others: r-project.org)"
ROWS = Path(__file__).with_name("rows.R")
#: Functions that every twin of a test or an effect size can call.
SHARED = Path(__file__).with_name("twins.R")

#: Where the system looks for shared libraries. rpy2 puts the folders of R first, and processes that
#: start later would find another libpython there.
_LIBRARIES = "LD_LIBRARY_PATH"
#: The profiles and settings that R would read; rpy2 runs R once before it starts it.
_PROFILES = ("R_ENVIRON", "R_ENVIRON_USER", "R_PROFILE", "R_PROFILE_USER")
#: A twin that quits R would end this process, with the status of success.
_NO_QUIT = """for (name in c("q", "quit")) {
  unlockBinding(name, baseenv())
  assign(name, function(...) stop("quit() is called in R"), baseenv())
}"""


@dataclass
class RSession:
    """R in this process, through rpy2, with the functions of ``rows.R``."""

    rinterface: Any = field(init=False, repr=False)
    said: list[str] = field(default_factory=list, init=False, repr=False)
    _functions: Any = field(init=False, repr=False)
    _twins: dict[Path, Any] = field(default_factory=dict, init=False, repr=False)
    _files: set[Path] = field(default_factory=set, init=False, repr=False)

    def __post_init__(self) -> None:
        self.rinterface = started()
        self._functions = self._scope()

    def _scope(self) -> Any:
        """Return an environment that does not see what others define, as a plug-in's twin may."""
        base = self.rinterface.baseenv
        return base["new.env"](parent=base["parent.env"](self.rinterface.globalenv))

    @contextmanager
    def printing_nothing(self) -> Iterator[None]:
        """Raise `VerificationError` if R prints; a script that prints cannot be read either."""
        callbacks: Any = import_module("rpy2.rinterface_lib.callbacks")
        printed: list[str] = []
        before, callbacks.consolewrite_print = callbacks.consolewrite_print, printed.append
        try:
            yield
        finally:
            callbacks.consolewrite_print = before
        if printed:
            raise VerificationError(
                f"R prints {''.join(printed)[:40]!r}; expected nothing, such as output of a twin"
            )

    def evaluated(self, code: str, given: Mapping[str, Any]) -> Any:
        """Run R code in a scope of its own, which has these objects, and return the scope."""
        base, scope = self.rinterface.baseenv, self._scope()
        for name, value in given.items():
            scope[name] = value
        base["eval"](base["parse"](text=code, **{"keep.source": False}), scope)
        return scope

    def function(self, name: str, *files: Path) -> Any:
        """Return a function of R files, which share an environment; each is read once."""
        for path in files:
            if path not in self._files:
                self.rinterface.baseenv["sys.source"](str(path), self._functions)
                self._files.add(path)
        return self._functions[name]

    def noted(self, function: Any, *arguments: Any, **named: Any) -> Any:
        """Return what a function of R returns; its notes and R's warnings are added to `said`."""
        found = self.function("noted", ROWS)(function, *arguments, **named)
        self.said += map(str, found.do_slot("notes"))
        return found

    def standardize(self, scheme: Scheme, x: Array, scores: Array) -> Array:
        """Return y of the twin for topics x (t, m) with reference scores (t, n)."""
        each_row = self.function("each_row", ROWS)
        y = each_row(self.twin(scheme), self.matrix(x), self.matrix(scores), self.settings(scheme))
        return self.array(y)

    def twin(self, scheme: Scheme) -> Any:
        """Return the function of the scheme's twin."""
        twin = self.function_of(twin_of(scheme), "standardize")
        if scheme.component is None:
            return twin
        component = self.twin(scheme.component), self.settings(scheme.component)
        return self.function("with_component", ROWS)(twin, *component)

    def function_of(self, path: Path, name: str) -> Any:
        """Return the function of a twin, which has a separate environment."""
        if path not in self._twins:
            is_own = path.is_relative_to(ROWS.parent.parent)
            environment = self._scope() if is_own else self.rinterface.baseenv["new.env"]()
            if name in ("significance_test", "effect_size"):
                self.rinterface.baseenv["sys.source"](str(SHARED), environment)
            try:
                self.rinterface.baseenv["sys.source"](str(path), environment)
            except self.error as error:
                raise unreadable(path, str(error)) from error
            self._twins[path] = environment
        try:
            found = self._twins[path][name]
        except KeyError as error:
            raise without_function(path, name) from error
        if not self.rinterface.baseenv["is.function"](found)[0]:
            raise without_function(path, name)
        return found

    def settings(self, scheme: Scheme) -> Any:
        """Return the settings of a scheme as a list of R, with functions for parts of one's own."""
        own = {name: self.function_of(twin_of(p), p.in_r) for name, p in scheme.parts.items()}
        return self.as_list({**scheme.settings(), **own})

    def as_list(self, values: Mapping[str, Any]) -> Any:
        """Return a list of R with these names and values, None as NULL."""
        null = self.rinterface.NULL
        return self.rinterface.baseenv["list"](
            **{name: null if value is None else value for name, value in values.items()}
        )

    def strings(self, values: Sequence[str]) -> Any:
        """Return a character vector of R."""
        return self.rinterface.StrSexpVector(list(values))

    def call(self, name: str, *arguments: Array) -> Array:
        """Call a function of R by name on vectors."""
        return np.array(self.rinterface.globalenv.find(name)(*map(self.vector, arguments)))

    def column_means(self, values: Array) -> Array:
        """Return R's colMeans of a matrix."""
        return np.array(self.rinterface.baseenv["colMeans"](self.matrix(values)))

    @property
    def version(self) -> str:
        """The version of R, as R prints it."""
        return str(self.rinterface.baseenv["R.version.string"][0])

    @property
    def notes(self) -> list[str]:
        """A note if R was running before, when it may have read a profile, or saved objects."""
        if "--vanilla" in self.rinterface.baseenv["commandArgs"]():
            return []
        return [
            "R was running in this process before, without --vanilla, so that a profile or a "
            "session may have changed its functions; via='rscript' starts a new R"
        ]

    @property
    def error(self) -> type[Exception]:
        """The exception type for errors in R."""
        from rpy2.rinterface_lib.embedded import RRuntimeError

        return RRuntimeError

    def matrix(self, values: Array) -> Any:
        """Return a matrix of R of the same shape."""
        return self.rinterface.baseenv["matrix"](self.vector(values), nrow=len(values))

    def array(self, matrix: Any) -> Array:
        """Return a matrix of R as an array of the same shape."""
        return np.array(matrix.memoryview()).reshape(tuple(matrix.do_slot("dim")), order="F")

    def named(self, values: Array, rows: list[str], columns: list[str]) -> Any:
        """Return a matrix of R with the names of its rows and columns."""
        names = self.rinterface.baseenv["list"](self.strings(rows), self.strings(columns))
        return self.rinterface.baseenv["matrix"](
            self.vector(values), nrow=len(rows), dimnames=names
        )

    def vector(self, values: Array) -> Any:
        """Return a numeric vector of R, by columns."""
        flat = np.asarray(values, dtype=np.float64).ravel(order="F")
        return self.rinterface.FloatSexpVector.from_memoryview(flat.data)


def unreadable(path: Path, said: str) -> VerificationError:
    """Return the error of a twin that R cannot read, with the reason in a message of R."""
    reason = re.sub(r"^Error(?: in .*?)? ?:\s+", "", said.strip(), count=1)
    place = re.match(r"(\d+):(\d+): (.*)", reason)  # what follows shows the lines of the file
    if place is not None:
        reason = f"line {place[1]}, column {place[2]}: {place[3]}"
    return VerificationError(f"R cannot read the twin {path}: {' '.join(reason.split())}")


def without_function(path: Path, name: str) -> VerificationError:
    """Return the error of a twin that does not define its function."""
    return VerificationError(
        f"the R twin {path} does not define the function {name}; expected {name} <- function(...)"
    )


class HasTwin(Protocol):
    """What has an R file beside its Python file."""

    @property
    def name(self) -> str:
        """Name of the member."""

    def twin(self) -> Path:
        """Return the path of the R file."""


def twin_of(member: HasTwin) -> Path:
    """Return the path of an R twin; raises `VerificationError` if there is none."""
    try:
        path = member.twin()
    except (OSError, TypeError) as error:  # what is defined in a notebook or an interactive session
        raise VerificationError(
            f"{member.name} is not defined in a file, so that it cannot have an R twin ({error}); "
            "expected a module"
        ) from error
    if not path.is_file():
        raise VerificationError(f"{member.name} has no R twin; expected the file {path}")
    return path


def started() -> Any:
    """Start R in this process, once, and return rpy2's interface; raises `RNotAvailableError`."""
    if shutil.which("R") is None and "R_HOME" not in os.environ:  # where rpy2 looks first
        raise RNotAvailableError(f"R is not installed; {HOW_TO_INSTALL}")
    # On import, rpy2 prints that it has no compiled module, which it does not need here.
    # Error messages of R are raised as exceptions as well.
    for module in ("openrlib", "callbacks"):
        logging.getLogger(f"rpy2.rinterface_lib.{module}").setLevel(logging.ERROR)
    before = {name: os.environ.get(name) for name in (_LIBRARIES, *_PROFILES)}
    os.environ.update(dict.fromkeys(_PROFILES, os.devnull))
    try:
        rinterface: Any = import_module("rpy2.rinterface")
        embedded: Any = import_module("rpy2.rinterface_lib.embedded")
        started = not embedded.isinitialized()
        if started:  # no profile changes functions, as in a script
            embedded.set_initoptions(("rpy2", "--quiet", "--vanilla"))
        rinterface.initr()
        if started:
            base = rinterface.baseenv
            base["eval"](base["parse"](text=_NO_QUIT), base["new.env"]())
    except Exception as error:  # errors of loading the shared library of R
        why = " ".join(str(error).split()) or type(error).__name__  # R may say nothing
        raise RNotAvailableError(
            f"R cannot be started through rpy2 ({why}); expected the extra 'validation' (pip "
            "install 'cdfscore[validation]'), or via='rscript'"
        ) from error
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
    return rinterface
