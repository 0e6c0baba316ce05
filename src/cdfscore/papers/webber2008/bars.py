"""Bars of Figures 5 to 7: measures in three forms, some of which the scores give."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_FORMS = ("raw", "normalized", "standardized")
#: Measure, form, and where it comes from: the measure of the scores, standardized or not; or
#: what it needs. Average precision is the sum of precisions over the number of relevant
#: documents, which is what the paper calls its normalized form.
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
    """Return one line per bar: ``measure``, ``form``, the result of `values`, and ``needs``.

    `values` is called with the measure of the scores, and whether they are standardized.
    """
    import pandas as pd

    rows = []
    for measure, form, source in _BARS:
        given = {"needs": source} if isinstance(source, str) else {**values(*source), "needs": ""}
        rows.append({"measure": measure, "form": form, **given})
    table = pd.DataFrame(rows)
    last = table.pop("needs")
    return table.assign(needs=last)
