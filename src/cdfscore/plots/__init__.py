"""Pictures of results; nothing is computed here but what a picture needs."""
