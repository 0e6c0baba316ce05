"""Runs, judgments and measures, by a short name; their files are in `cdfscore.retrieval`."""

from cdfscore.retrieval import *  # noqa: F403
from cdfscore.retrieval import __all__ as __all__
