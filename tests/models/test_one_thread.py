"""Linear models leave the threads of BLAS as they were, and use one."""

from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from cdfscore.errors import ModelError
from cdfscore.models import anova, mixed_model
from cdfscore.models.anova import Design
from cdfscore.models.mixed import MixedFit
from tests.models.designs import COMPONENTS, scores


def threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.mark.parametrize(
    ("model", "formula", "place"),
    [
        (anova, "score ~ topic + stemmer", (Design, "of")),
        (mixed_model, "score ~ stemmer", (MixedFit, "of")),
    ],
)
def test_blas_has_one_thread_while_a_model_is_fitted(
    model: Any, formula: str, place: tuple[type, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[int]] = []
    inside = getattr(*place)

    def seeing(*given: Any) -> Any:
        seen.append(threads())
        return inside(*given)

    monkeypatch.setattr(*place, seeing)
    np.eye(3) @ np.eye(3)
    with threadpool_limits(2, user_api="blas"):
        model(scores(), formula, COMPONENTS)
        with pytest.raises(ModelError):
            model(scores() * 0, formula, COMPONENTS)
        assert threads() == {2}
    assert seen == [{1}, {1}]
