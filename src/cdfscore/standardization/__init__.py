"""Scores read through schemes fitted to their topics, and the factors that come of it."""
