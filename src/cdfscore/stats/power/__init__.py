"""Power of t tests, and the topics, differences and levels that give a power."""

from cdfscore.stats.power.power_t import PowerOfT as PowerOfT
from cdfscore.stats.power.power_t import power_t as power_t
