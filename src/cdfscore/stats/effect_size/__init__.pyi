from .effects import EffectSize as EffectSize
from .effects import d_av as d_av
from .effects import d_z as d_z
from .effects import effect as effect
from .effects import hedges_g as hedges_g
from .effects import rank_biserial as rank_biserial
from .effects import rank_biserial_paired as rank_biserial_paired
