"""Urbano, Lima and Hanjalic (2019) again: the published files and Figures 1 to 3."""
