"""The Johnson SU scheme."""
