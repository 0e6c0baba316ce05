"""``cdfscore merge``: one run from the ranked lists of several sources."""

from __future__ import annotations
