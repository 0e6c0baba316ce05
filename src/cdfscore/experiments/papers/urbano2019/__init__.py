"""Reproduction of Urbano, Lima and Hanjalic (2019): the published files and Figures 1 to 3."""
