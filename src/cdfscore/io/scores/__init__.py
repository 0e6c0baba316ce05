"""Score matrices, topics x systems: reading, checks and labels of all user data."""

from __future__ import annotations

from cdfscore.io.scores.frame_labels import topic_labels
from cdfscore.io.scores.given import as_scores
from cdfscore.io.scores.reading import read_scores
from cdfscore.io.scores.writing import encode_scores, write_scores

__all__ = ["as_scores", "encode_scores", "read_scores", "topic_labels", "write_scores"]
