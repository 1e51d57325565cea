"""Errors with a place, sensitive values, change ids, clocks: what every other room uses."""
