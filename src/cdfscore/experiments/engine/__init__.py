"""Trials that any executor runs, cached on disk and resumed."""
