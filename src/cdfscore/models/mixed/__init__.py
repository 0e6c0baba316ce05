"""Mixed models: fixed effects of components of systems, random effects of topics."""
