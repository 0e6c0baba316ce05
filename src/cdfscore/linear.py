"""The linear schemes under their former module name; see `cdfscore.schemes`."""

from __future__ import annotations

from cdfscore.schemes.raw import Raw as Raw
from cdfscore.schemes.sum import Sum as Sum
from cdfscore.schemes.z import Z as Z
