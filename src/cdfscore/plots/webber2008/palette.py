"""Colours that are told apart without seeing all of them: those of Okabe and Ito (2008)."""

BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
GREY = "0.45"
