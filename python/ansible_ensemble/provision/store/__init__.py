"""Transactions, indexes and a feed of changes, on SQLite or PostgreSQL."""
