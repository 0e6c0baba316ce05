"""Components of systems: a table with a row for each system and a column for each factor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ModelError, ScoresError, SpecificationError, did_you_mean
from cdfscore.io.files import readable, source_name
from cdfscore.io.scores.delimited import text_table
from cdfscore.io.scores.kinds import as_pandas
from cdfscore.io.scores.labels import texts
from cdfscore.io.text import a_type, listed
from cdfscore.models.formula import TOPIC, Factor, factor_of

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

#: The factor whose levels are the systems; it needs no table.
SYSTEM = "system"
#: The key of the file name in the `attrs` of a table of components that was read.
SOURCE = "source"


def factors_of(components: IntoFrame | None, systems: Sequence[str]) -> dict[str, Factor]:
    """Return the factors of systems, each with the level of every system, in their order.

    `components`, a data frame of any kind, has a column ``system`` and one column for each factor,
    whose levels are text. Rows of other systems are omitted. The systems are also a factor,
    ``system``. Levels are in the order of the systems.

    A factor that no model uses may lack levels; see `Factor.lacks`.

    Raises `SpecificationError` if `components` is not a data frame, for a system without a row or
    with two rows, and for a factor with the name topic.
    """
    factors = {SYSTEM: factor_of(SYSTEM, systems)}
    if components is None:
        return factors
    source = getattr(components, "attrs", {}).get(SOURCE, "components")
    try:
        table = as_pandas(components, source)
    except ScoresError as error:
        raise SpecificationError(
            f"{source} is {a_type(components)}; expected a data frame with a row for each system, "
            "or read_components(path) of a file"
        ) from error
    names = list(map(str, table.columns))
    if SYSTEM not in names:
        raise SpecificationError(
            f"{source} has no column {SYSTEM!r}; expected one with the systems of the scores, and "
            f"one for each factor; found {listed(names)}"
        )
    if TOPIC in names:
        raise SpecificationError(
            f"{source} has a column {TOPIC!r}, which is the factor of the topics of the scores; "
            "expected another name"
        )
    if len(set(names)) < len(names):
        raise SpecificationError(
            f"{source} has two columns of the same name; found {listed(names)}"
        )
    labels = texts(table[SYSTEM].tolist())
    rows = {label: row for row, label in enumerate(labels)}
    wanted = set(systems)
    twice = next((s for i, s in enumerate(labels) if rows[s] != i and s in wanted), None)
    if twice is not None:
        raise SpecificationError(
            f"{source} has two rows for system {twice!r}; expected one for each system"
        )
    absent = [system for system in systems if system not in rows]
    if absent:
        raise SpecificationError(
            f"{source} has no row for {len(absent)} of {len(systems)} systems, such as "
            f"{absent[0]!r}{did_you_mean(absent[0], labels)}; expected one for each"
        )
    places = [rows[system] for system in systems]
    for name in names:
        if name == SYSTEM:
            continue
        levels = table.iloc[places, names.index(name)]
        missing = np.flatnonzero(levels.isna().to_numpy() | (levels.astype(str) == "").to_numpy())
        factor = factor_of(name, list(map(str, levels)))
        if len(missing):
            lacks = f"{source}: system {systems[missing[0]]!r} has no {name}"
            factor = replace(factor, lacks=lacks)
        factors[name] = factor
    return factors


def read_components(path: str | Path) -> pd.DataFrame:
    """Read a table of components from a CSV or TSV file with one row for each system.

    The column ``system`` has the systems, and each other column is a factor. All cells are text,
    because levels are text.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    ModelError
        If the file cannot be read or has no rows, or if a row has more or fewer cells than the
        header.
    ScoresError
        If the content is not text.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "systems.csv"
    ...     _ = path.write_text("system,stemmer\\nbm25,none\\nbm25_p,porter\\n")
    ...     read_components(path)["stemmer"].tolist()
    ['none', 'porter']
    """
    with readable(path, ModelError):
        content = Path(path).read_bytes()
    expected = "a header with system and the factors, and a row for each system"
    found = text_table(source_name(path), content, expected, ModelError)
    found.attrs[SOURCE] = source_name(path)
    return found
