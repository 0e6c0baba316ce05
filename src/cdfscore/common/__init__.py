"""What all rooms share: catalogues, cautions, costs, files, words, threads."""
