"""Score matrices in the package, measured on runs made for it."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from cdfscore.errors import ScoresError

if TYPE_CHECKING:
    import pandas as pd


def load_cranfield(measure: str) -> pd.DataFrame:
    """Load the scores of 67 retrieval systems on the 225 topics of the Cranfield collection.

    `measure` is "ap", "ndcg10", "p10" or "rr". The data card ``cranfield.md`` beside the
    data describes the systems, the measures and how the scores were made.
    Raises `ScoresError` for another measure.

    Examples
    --------
    >>> load_cranfield("ap").shape
    (225, 67)
    """
    from cdfscore.io.scores import read_scores

    if measure not in cranfield_measures():
        raise ScoresError(
            f"there are no Cranfield scores of {measure!r}; expected one of "
            f"{', '.join(cranfield_measures())}"
        )
    with as_file(files(__name__) / f"cranfield_{measure}.csv") as path:
        return read_scores(path)


def cranfield_measures() -> list[str]:
    """List the measures of `load_cranfield`."""
    names = sorted(entry.name for entry in files(__name__).iterdir())
    return [
        name.removeprefix("cranfield_").removesuffix(".csv")
        for name in names
        if name.startswith("cranfield_") and name.endswith(".csv")
    ]
