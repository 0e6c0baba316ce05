"""Contract of a significance test: its inputs, its computation and its result.

A test of your own needs ``from cdfscore.significance.contract import Alternative, Rows, paired``.
"""

from cdfscore.significance.contract.base import ChosenTest as ChosenTest
from cdfscore.significance.contract.base import Indices as Indices
from cdfscore.significance.contract.base import LeastP as LeastP
from cdfscore.significance.contract.base import Level as Level
from cdfscore.significance.contract.base import SignificanceTest as SignificanceTest
from cdfscore.significance.contract.base import Sizes as Sizes
from cdfscore.significance.contract.decorators import OneSample as OneSample
from cdfscore.significance.contract.decorators import all_systems as all_systems
from cdfscore.significance.contract.decorators import one_sample as one_sample
from cdfscore.significance.contract.decorators import paired as paired
from cdfscore.significance.contract.decorators import pooled as pooled
from cdfscore.significance.contract.decorators import simultaneous as simultaneous
from cdfscore.significance.contract.decorators import unpaired as unpaired
from cdfscore.significance.contract.matrices import AllSystems as AllSystems
from cdfscore.significance.contract.matrices import PairsTogether as PairsTogether
from cdfscore.significance.contract.matrices import Pooled as Pooled
from cdfscore.significance.contract.matrices import Simultaneous as Simultaneous
from cdfscore.significance.contract.result import Rows as Rows
from cdfscore.significance.contract.result import TestResult as TestResult
from cdfscore.significance.contract.settings import Alternative as Alternative
from cdfscore.significance.contract.settings import Seed as Seed
from cdfscore.significance.contract.two_samples import Paired as Paired
from cdfscore.significance.contract.two_samples import TwoSamples as TwoSamples
from cdfscore.significance.contract.two_samples import Unpaired as Unpaired
from cdfscore.significance.contract.unit import DIFFERENCE as DIFFERENCE
