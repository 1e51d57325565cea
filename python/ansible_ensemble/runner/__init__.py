"""ansible-runner around a job: its process, its events and its record."""
