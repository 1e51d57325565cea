"""Packs of content: folders and bundle files, their check, and what loading them changes."""
