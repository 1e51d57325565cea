"""Pure functions on objects, without I/O: task lists, the next job, guards of edits, availability."""
