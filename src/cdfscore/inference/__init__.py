"""What a test of one's own is made of, under its former name.

It stands in `cdfscore.significance.contract`.
"""
