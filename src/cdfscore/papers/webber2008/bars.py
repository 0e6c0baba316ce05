"""Bars of Figures 5 to 7: measures in three forms. The scores determine some of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_FORMS = ("raw", "normalized", "standardized")
#: Measure, form, and source. The source is the measure of the scores and whether they are
#: standardized, or the name of the missing data. Average precision is the sum of precisions divided
#: by the number of relevant documents; the paper calls this the normalized form of the sum.
_BARS: list[tuple[str, str, tuple[str, bool] | str]] = [
    ("P@10", "raw", ("P@10", False)),
    ("P@10", "normalized", "relevance judgments"),
    ("P@10", "standardized", ("P@10", True)),
    *(("RBP", form, "RBP scores") for form in _FORMS),
    ("SP/AP", "raw", "relevance judgments"),
    ("SP/AP", "normalized", ("AP", False)),
    ("SP/AP", "standardized", ("AP", True)),
    *(("DCG", form, "DCG scores") for form in _FORMS),
]


def bars(values: Callable[[str, bool], dict[str, float]]) -> pd.DataFrame:
    """Return one row per bar: ``measure``, ``form``, the result of `values`, and ``needs``.

    `values` is called with the measure of the scores and with whether they are standardized.
    """
    import pandas as pd

    rows = []
    for measure, form, source in _BARS:
        given = {"needs": source} if isinstance(source, str) else {**values(*source), "needs": ""}
        rows.append({"measure": measure, "form": form, **given})
    table = pd.DataFrame(rows)
    last = table.pop("needs")
    return table.assign(needs=last)
