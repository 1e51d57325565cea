"""Ensembles: files become an ensemble in memory, and what surrounds it."""
