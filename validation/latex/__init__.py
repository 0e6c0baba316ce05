"""LaTeX tables of results, compiled."""
