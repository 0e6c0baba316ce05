"""Policies for constant topics, missing scores, and topics that a scheme cannot be fitted to."""
