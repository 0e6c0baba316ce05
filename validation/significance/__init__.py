"""The significance tests beside R: random inputs, the real pairs, and calibration."""
