"""Linear models of scores: analysis of variance of systems that are built of components."""
