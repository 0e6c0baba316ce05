"""The truncated normal scheme."""
