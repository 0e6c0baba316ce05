from .stats.effect_size import *  # noqa: F403
