"""The functions of the expression language, one module per subject."""
