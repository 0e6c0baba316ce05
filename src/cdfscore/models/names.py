"""Names of factors and of cells, which must be unambiguous in formulas and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cdfscore.errors import SpecificationError

# What joins names in terms, quotes them in formulas, and begins an escape in a name of R.
_NOT_IN_NAMES = {":": "a colon", "`": "a backtick", "\\": "a backslash"}
# A colon that is not between backticks.
_JOINT = re.compile(r":(?=(?:[^`]*`[^`]*`)*[^`]*\Z)")


def names_in(term: str) -> list[str]:
    """Return the names that colons join in a term; each may stand between backticks.

    >>> names_in("topic:`stop list`")
    ['topic', 'stop list']
    """
    names = [name.strip() for name in _JOINT.split(term)]
    return [name[1:-1] if re.fullmatch("`[^`]+`", name) else name for name in names]


def check_names(names: Iterable[str]) -> None:
    """Raise `SpecificationError` for a factor whose name is ambiguous in a term."""
    for name in names:
        for sign, called in _NOT_IN_NAMES.items():
            if sign in name:
                raise SpecificationError(
                    f"the factor {name!r} has {called} in its name, which is read as a part of a "
                    "formula or of a term; expected a name without colons, backticks and "
                    "backslashes"
                )


def check_part(part: str, text: str, names: Iterable[str]) -> None:
    """Raise `SpecificationError` if a part of a text is not understood because of such a name.

    ``a`` of ``topic:a:b`` is no factor, where a factor is named ``a:b``.
    """
    check_names(each for each in names if each in text and (part in each or each in part))


def labels_of(term: Sequence[str], cells: Iterable[Sequence[str]]) -> list[str]:
    """Return the labels of combinations of levels of a term, as R prints them, ``porter:bm25``.

    Raises `SpecificationError` for two combinations of one label, of levels with colons.
    """
    labels: dict[str, Sequence[str]] = {}
    for cell in cells:
        label = ":".join(cell)
        if label in labels:
            raise SpecificationError(
                f"two combinations of levels of {':'.join(term)} have the label {label!r}, "
                f"{tuple(labels[label])} and {tuple(cell)}; expected levels without colons"
            )
        labels[label] = cell
    return list(labels)
