from .contract import EffectSize as EffectSize
from .contract import effect as effect
from .d_av import d_av as d_av
from .d_z import d_z as d_z
from .hedges_g import hedges_g as hedges_g
from .rank_biserial import rank_biserial as rank_biserial
from .rank_biserial_paired import rank_biserial_paired as rank_biserial_paired
