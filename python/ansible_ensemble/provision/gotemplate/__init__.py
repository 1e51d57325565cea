"""Go's text/template: what a text is parsed to, and what it gives with data; no path leads to Python or its files."""
