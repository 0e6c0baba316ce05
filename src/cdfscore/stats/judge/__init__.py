"""What statsmodels and SciPy compute of an analysis: arrays in, numbers out.

A second judge beside R, which every user has. Nothing of this room calls a computation of
cdfscore, and each counterpart is one function of scores and settings in the table of its kind.
"""
