"""The part of the uncertainty of standardized means that the reference systems contribute."""

from cdfscore.comparison.reference_uncertainty.reference_uncertainty import (
    reference_uncertainty as reference_uncertainty,
)
from cdfscore.comparison.reference_uncertainty.result import (
    ReferenceUncertainty as ReferenceUncertainty,
)
