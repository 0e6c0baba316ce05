"""Files in and out: score matrices, atomic writing, text of numbers."""
