from ._goal import Goal as Goal
from .dependability import Dependability as Dependability
from .generalizability import Generalizability as Generalizability
from .interval import Interval as Interval
from .one_way import OneWay as OneWay
from .paired_t import PairedT as PairedT
from .two_way import TwoWay as TwoWay
