from .schemes import *  # noqa: F403
