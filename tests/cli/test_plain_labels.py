"""Labels that a spreadsheet would run, in what commands write, and the option to leave them."""
