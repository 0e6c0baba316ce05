"""Digests of what every command writes, so that a change of the code shows where it changes it."""
