"""Beta-binomial scheme."""
