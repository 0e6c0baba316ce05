"""cdfscore: read scores through a cumulative distribution function fitted to their topic.

y = F_t(x): choose a distribution F for the scores of topic t, fit it on reference systems,
and read off where a score x lies.
"""

from cdfscore import datasets as datasets
from cdfscore._version import __version__ as __version__
from cdfscore.catalogue import parse_scheme as parse_scheme
from cdfscore.catalogue import parse_test as parse_test
from cdfscore.catalogue import scheme_names as scheme_names
from cdfscore.comparison.comparison import Comparison as Comparison
from cdfscore.comparison.comparison import compare as compare
from cdfscore.comparison.sensitivity import Sensitivity as Sensitivity
from cdfscore.comparison.sensitivity import sensitivity as sensitivity
from cdfscore.diagnosis import Diagnosis as Diagnosis
from cdfscore.diagnosis import diagnose as diagnose
from cdfscore.errors import CdfscoreError as CdfscoreError
from cdfscore.io.scores import as_scores as as_scores
from cdfscore.io.scores import read_scores as read_scores
from cdfscore.io.scores import write_scores as write_scores
from cdfscore.r.verify import verify as verify
from cdfscore.rank_correlation.correlate import correlate as correlate
from cdfscore.schemes.base import Distribution as Distribution
from cdfscore.schemes.base import LinearScheme as LinearScheme
from cdfscore.schemes.empirical.dkw import dkw_band as dkw_band
from cdfscore.standardization.factors import Factors as Factors
from cdfscore.standardization.formats import load_factors as load_factors
from cdfscore.standardization.formats import save_factors as save_factors
from cdfscore.standardization.leave_one_out import leave_one_out as leave_one_out
from cdfscore.standardization.standardizer import Standardizer as Standardizer
