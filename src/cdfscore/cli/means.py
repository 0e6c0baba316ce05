"""Comparisons of marginal means: the options --means and --contrasts of linear models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.errors import ModelError
from cdfscore.io.tables import DELIMITERS

if TYPE_CHECKING:
    import pandas as pd


def check_means(means: Sequence[str] | None, contrasts: str | None) -> None:
    """Raise `ModelError` for terms without a file of comparisons, and a file without terms."""
    if (contrasts is None) != (not means):
        raise ModelError(
            "--means TERM names what --contrasts FILE has; expected both, or neither of them"
        )


def contents_of_contrasts(path: str | None, compared: Sequence[pd.DataFrame]) -> dict[Path, bytes]:
    """Return the file of comparisons with its content, if it is asked for."""
    import pandas as pd

    from cdfscore.io.tables import encode_frame

    if path is None:
        return {}
    ending = Path(path).suffix.lower()
    return {Path(path): encode_frame(pd.concat(compared), DELIMITERS[ending])}
