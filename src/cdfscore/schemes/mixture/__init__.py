"""The mixture scheme."""
