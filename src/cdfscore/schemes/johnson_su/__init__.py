"""Johnson SU scheme."""
