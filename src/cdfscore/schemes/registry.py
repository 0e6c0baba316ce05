"""Schemes by name: those of this package, and those that other packages add."""

from __future__ import annotations

from cdfscore.catalogue import Catalogue
from cdfscore.errors import SchemeError
from cdfscore.schemes.base import Scheme

schemes = Catalogue("cdfscore.schemes", "scheme", SchemeError)


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
