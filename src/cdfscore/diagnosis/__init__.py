"""Diagnosis of how well distributions fit the scores of topics."""

from cdfscore.diagnosis.diagnosis import Diagnosis, diagnose, diagnose_factors
from cdfscore.diagnosis.reliability import topic_reliability

__all__ = ["Diagnosis", "diagnose", "diagnose_factors", "topic_reliability"]
