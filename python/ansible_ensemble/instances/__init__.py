"""Status: instances, their readiness and node state, aggregation. It knows nothing of files."""
