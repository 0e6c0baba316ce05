"""Runs, judgments and measures, by a short name; their files are in `cdfscore.retrieval`."""

from cdfscore.retrieval import Measured, Qrels, Run, encode_run, measure, read_qrels, read_run

__all__ = ["Measured", "Qrels", "Run", "encode_run", "measure", "read_qrels", "read_run"]
