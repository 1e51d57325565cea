"""Templates: Go's text/template with sprig's functions, Jinja for those that say so, and the data they see.

A template is text of whoever may write it: it reaches the data it is given and nothing else, and is bounded in steps,
output and depth (budget.py). docs/provision.md, "Templates".
"""
