"""The former name of the package `cdfscore.significance.contract`."""

from cdfscore.significance.contract import AllSystems as AllSystems
from cdfscore.significance.contract import ChosenTest as ChosenTest
from cdfscore.significance.contract import Indices as Indices
from cdfscore.significance.contract import OneSample as OneSample
from cdfscore.significance.contract import Paired as Paired
from cdfscore.significance.contract import SignificanceTest as SignificanceTest
from cdfscore.significance.contract import Simultaneous as Simultaneous
from cdfscore.significance.contract import TwoSamples as TwoSamples
from cdfscore.significance.contract import Unpaired as Unpaired
from cdfscore.significance.contract import all_systems as all_systems
from cdfscore.significance.contract import one_sample as one_sample
from cdfscore.significance.contract import paired as paired
from cdfscore.significance.contract import simultaneous as simultaneous
from cdfscore.significance.contract import unpaired as unpaired
