"""Parquet files of scores, read and written one block of topics after another."""
