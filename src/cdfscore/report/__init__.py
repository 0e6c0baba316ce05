"""Results laid out for reading; nothing is computed here."""
