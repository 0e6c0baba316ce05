"""statsmodels as a judge: every number that both have, R and 50 digits where they differ."""
