"""Expressions: TOSCA functions, `eval` paths and templates, whose results know what they read and what is secret."""
