"""Factors of a file, in place of a scheme that is fitted here: the option ``--factors``."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cdfscore.cli.paths import concerning
from cdfscore.cli.spelling import is_typed
from cdfscore.errors import FactorsError
from cdfscore.spelling import option

if TYPE_CHECKING:
    from cdfscore.standardization.factors import Factors
    from cdfscore.standardization.policies.constant import ConstantPolicy
    from cdfscore.standardization.policies.missing import MissingPolicy
    from cdfscore.standardization.policies.unfitted import UnfittedPolicy

FactorsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Standardize by the factors of this file, as of 'standardize --save-factors', in "
        "place of --scheme and --reference; their policies hold unless others are given.",
    ),
]

#: Endings of tables, which are no factors alone.
_TABLES = (".csv", ".tsv", ".parquet")
#: Arguments that factors have settled.
_SETTLED = ("scheme", "reference", "lower_is_better", "all_lower_is_better", "reflect_at")


def factors_of(
    path: str, constant: str, missing: str, unfitted: str, *, allowed: Iterable[str] = ()
) -> Factors:
    """Load factors, with the policies that are typed; no option may say again what they settle.

    Raises `FactorsError` for such an option, unless it is one of those `allowed`.
    """
    from cdfscore.standardization.formats import load_factors

    if path == "-":
        raise FactorsError(
            f"{option('factors')} cannot be standard input; expected the name of a file"
        )
    for name in _SETTLED:
        if name not in allowed and is_typed(name):
            raise FactorsError(
                f"{option('factors')} and {option(name)} exclude each other: the factors have a "
                "scheme, which is fitted to their reference scores, and know where lower is better"
            )
    if path.lower().endswith(_TABLES):
        # Not every command has this option.
        scores = (
            "" if option("reference") == "reference" else f"; scores go to {option('reference')}"
        )
        raise FactorsError(
            f"{path} is a table, as of scores, and no file of factors; expected one that "
            f"'cdfscore standardize --save-factors FILE' has written{scores}"
        )
    loaded = load_factors(path)
    with concerning(path):
        return dataclasses.replace(
            loaded,
            constant=cast("ConstantPolicy", constant) if is_typed("constant") else loaded.constant,
            missing=cast("MissingPolicy", missing) if is_typed("missing") else loaded.missing,
            unfitted=cast("UnfittedPolicy", unfitted) if is_typed("unfitted") else loaded.unfitted,
        )
