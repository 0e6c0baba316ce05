"""Does this distribution fit these topics?"""

from cdfscore.diagnosis.diagnosis import diagnose
from cdfscore.diagnosis.result import Diagnosis

__all__ = ["Diagnosis", "diagnose"]
