"""Coverage and level, by simulation, of every number whose R twin transcribes our own formula."""
