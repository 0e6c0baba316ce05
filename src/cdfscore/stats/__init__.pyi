from .adjustment import *  # noqa: F403
from .effect_size import *  # noqa: F403
from .rank_correlation import *  # noqa: F403
from .schemes import *  # noqa: F403
from .significance import *  # noqa: F403
