"""Comparison with statsmodels: numbers that both compute, and R and 50 digits where they differ."""
