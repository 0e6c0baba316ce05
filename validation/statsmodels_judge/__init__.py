"""statsmodels as a judge: what both compute, R and 50 digits where they differ."""
