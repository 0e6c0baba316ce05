from . import datasets as datasets
from . import trec as trec
from ._version import __version__ as __version__
from .comparison.comparison import Comparison as Comparison
from .comparison.comparison import compare as compare
from .comparison.sensitivity import Sensitivity as Sensitivity
from .comparison.sensitivity import sensitivity as sensitivity
from .diagnosis.diagnosis import Diagnosis as Diagnosis
from .diagnosis.diagnosis import diagnose as diagnose
from .diagnosis.diagnosis import diagnose_factors as diagnose_factors
from .diagnosis.reliability import variance_by_topic as variance_by_topic
from .errors import CdfscoreError as CdfscoreError
from .errors import CdfscoreWarning as CdfscoreWarning
from .io.scores.given import as_scores as as_scores
from .io.scores.reading import read_scores as read_scores
from .io.scores.writing import write_scores as write_scores
from .r.verify import verify as verify
from .rank_correlation.correlation import correlate as correlate
from .rank_correlation.correlation import correlation as correlation
from .schemes.base import Distribution as Distribution
from .schemes.base import LinearScheme as LinearScheme
from .schemes.empirical.empirical import dkw_band as dkw_band
from .schemes.registry import parse_scheme as parse_scheme
from .schemes.registry import scheme_names as scheme_names
from .significance.registry import parse_test as parse_test
from .standardization.factors import Factors as Factors
from .standardization.formats.saved import load_factors as load_factors
from .standardization.formats.saved import save_factors as save_factors
from .standardization.leave_one_out import leave_one_out as leave_one_out
from .standardization.standardized import Standardized as Standardized
from .standardization.standardizer import Standardizer as Standardizer
from .standardization.streaming.standardize_parquet import (
    standardize_parquet as standardize_parquet,
)
from .standardization.streaming.standardize_partition import (
    standardize_partition as standardize_partition,
)
