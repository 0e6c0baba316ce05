"""What is done once for a matrix is not done again for each topic."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from cdfscore import Standardizer


class Counted(dict[str, Any]):
    """Entries by topic, and how often they were gone through."""

    looks = 0

    def keys(self):  # type: ignore[override]
        self.looks += 1
        return super().keys()

    def __iter__(self):
        self.looks += 1
        return super().__iter__()


def test_topics_are_matched_without_a_union_for_each() -> None:
    looks = []
    for topics in (10, 100):
        values = np.random.default_rng(1).random((topics, 4))
        scores = pd.DataFrame(values, [f"t{i}" for i in range(topics)], list("abcd"))
        unfitted = Counted({f"other {i}": "no fit" for i in range(5)})
        factors = Standardizer("normal", unfitted="nan").fit(scores)
        factors = replace(factors, unfitted_topics=unfitted)
        rows = Counted(factors._rows)
        object.__setattr__(factors, "_rows", rows)
        unfitted.looks = 0
        found = factors.standardize(scores)
        assert found.absent_topics == list(unfitted)
        looks.append(unfitted.looks + rows.looks)
    assert looks[0] == looks[1] > 0
