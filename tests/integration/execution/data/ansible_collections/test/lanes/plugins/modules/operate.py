#!/usr/bin/python
"""The stub of an action plugin."""
