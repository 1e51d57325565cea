"""What is rendered for a machine: by Go's templates with sprig's functions or by Jinja, and the data that they see.

A template is text of whoever may write it: it reaches the data it is given and nothing else, and is bounded in steps,
output and depth (core/budget.py). docs/provision.md, "Templates".
"""
