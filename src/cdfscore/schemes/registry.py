"""Schemes by name: those of this package, and those that other packages add."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import Any

from cdfscore.catalogue import Catalogue
from cdfscore.errors import SchemeError
from cdfscore.schemes.base import Scheme

#: Labels of Urbano, Lima and Hanjalic (2019), each of the scheme without settings.
LABELS = {"N-std": "normal", "U-std": "uniform", "z-std": "z", "E-std": "empirical"}
# Names of the schemes in other software.
_ELSEWHERE = {
    "ecdf": ("empirical",),
    "gaussian": ("normal",),
    "z_score": ("z",),
    "zscore": ("z",),
    "min_max": ("minmax",),
    "std_ab": ("uniform",),
    "kde": ("kernel",),
}


@dataclass(frozen=True)
class SchemeCatalogue(Catalogue):
    """Catalogue of the schemes; a class that another package adds must be a scheme."""

    def _fault(self, member: Any) -> str:
        if not (isinstance(member, type) and issubclass(member, Scheme)):
            return (
                "is not a scheme; expected a class derived from cdfscore.schemes.Distribution or "
                "cdfscore.schemes.LinearScheme"
            )
        own = getattr(member, "__dataclass_params__", None)  # that base classes lack
        if own is None or not own.frozen:
            return "is not a frozen dataclass; expected @dataclass(frozen=True)"
        for setting in fields(member):
            if setting.default is MISSING and setting.default_factory is MISSING:
                return f"has no default for the setting {setting.name}; expected one"
        lacking = sorted(getattr(member, "__abstractmethods__", ()))
        if lacking:
            return f"does not define the method{'s' * (len(lacking) > 1)} {' and '.join(lacking)}"
        lacking = [name for name in ("formula", "source") if not hasattr(member, name)]
        if lacking:
            return f"has no {' and no '.join(lacking)}; expected a sentence"
        return ""


schemes = SchemeCatalogue(
    "cdfscore.schemes",
    "scheme",
    SchemeError,
    {label.lower(): name for label, name in LABELS.items()},
    _ELSEWHERE,
)


def scheme_names() -> list[str]:
    """List the names of all schemes: the distributions, the linear ones, and plug-ins.

    Raises `SchemeError` if a plug-in has the name of a scheme of cdfscore.

    Examples
    --------
    >>> "empirical" in scheme_names()
    True
    """
    return schemes.names()


def parse_scheme(text: str) -> Scheme:
    """Make a scheme from its spelling, ``name`` or ``name:key=value,key=value``.

    The labels N-std, U-std, z-std and E-std of the literature are accepted too.

    Raises `SchemeError` for an unknown name or setting, a value that is not accepted, or a
    plug-in that cannot be imported or is not a scheme.

    Examples
    --------
    >>> parse_scheme("uniform:A=0.3")
    Uniform(A=0.3, B=0.5)
    >>> parse_scheme("N-std")
    Normal()
    """
    scheme: Scheme = schemes.parse(text)
    return scheme
