from .stats.schemes import *  # noqa: F403
