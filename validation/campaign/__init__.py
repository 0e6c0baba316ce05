"""The parity campaign: many inputs, ours and R's beside the true value at 50 digits."""
