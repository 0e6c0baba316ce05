"""The laws of `from_scipy` beside R's own optimizers, on the bundled topics."""
