"""Diagnosis of how well distributions fit the scores of topics."""

from cdfscore.diagnosis.diagnosis import diagnose, diagnose_factors
from cdfscore.diagnosis.reliability import topic_reliability
from cdfscore.diagnosis.result import Diagnosis

__all__ = ["Diagnosis", "diagnose", "diagnose_factors", "topic_reliability"]
