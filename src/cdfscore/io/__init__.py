"""Reading and writing of files: score matrices, atomic writing, text of numbers."""
