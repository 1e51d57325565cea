"""Carrying out a plan: a scheduler without IO, the journal, and the workers."""
