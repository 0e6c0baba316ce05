"""Property tests draw the same examples in every run, and no example is timed."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "reproducible",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("reproducible")
