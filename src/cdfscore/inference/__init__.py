"""Contract of significance tests, under its former module name.

It is defined in `cdfscore.significance.contract`.
"""
