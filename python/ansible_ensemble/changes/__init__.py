"""Change records: what every job did, in git and in a fast index; digests and history."""
