from .stats.significance import *  # noqa: F403
