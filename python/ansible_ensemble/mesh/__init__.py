"""Nodes of a Receptor mesh: what they are, and workers on them."""
