"""R's random numbers: ``set.seed``, ``runif`` and ``sample``, bit for bit."""

from __future__ import annotations

from cdfscore.r_random.generator import LARGEST_SEED as LARGEST_SEED
from cdfscore.r_random.generator import RRandom as RRandom
from cdfscore.r_random.generator import RRandomError as RRandomError
from cdfscore.r_random.generator import samples as samples
