"""Runs and qrels of TREC: read them, compute score matrices from them, and write runs."""

from __future__ import annotations

from cdfscore.trec.measuring import Measured, measure
from cdfscore.trec.qrels import Qrels, read_qrels
from cdfscore.trec.run import Run
from cdfscore.trec.run_files import encode_run, read_run

__all__ = ["Measured", "Qrels", "Run", "encode_run", "measure", "read_qrels", "read_run"]
