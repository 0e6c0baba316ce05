"""The beta-binomial scheme."""
