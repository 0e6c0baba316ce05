"""Runs and qrels of TREC: read them, compute score matrices from them, and write runs."""

from cdfscore.retrieval.measuring import Measured, measure
from cdfscore.retrieval.runs import Qrels, Run, encode_run, read_qrels, read_run

__all__ = ["Measured", "Qrels", "Run", "encode_run", "measure", "read_qrels", "read_run"]
