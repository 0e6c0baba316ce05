"""The uncertainty from the reference systems alone, of a comparison whose test does not matter."""

from __future__ import annotations

from typing import Any

from cdfscore import compare
from cdfscore.comparison import ReferenceUncertainty


def reference_uncertainty(
    scores: Any, scheme: Any, *, resamples: int = 999, conf_level: float = 0.95, **options: Any
) -> ReferenceUncertainty:
    """Return the uncertainty beside a paired t test."""
    test = f"paired_t:conf_level={conf_level}"
    found = compare(
        scores, test, scheme=scheme, effect="", reference_uncertainty=resamples, **options
    ).uncertainty
    assert found is not None
    return found
