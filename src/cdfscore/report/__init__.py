"""Layout of results for readers; nothing is computed here."""
