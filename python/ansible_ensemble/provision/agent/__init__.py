"""The agent: it takes a machine through its jobs, on the machine itself or over a connection to it."""
