"""Go's text/template with the functions that content uses, and Jinja; the data that templates see."""
