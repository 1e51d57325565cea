"""Objects of a Kubernetes API server: applied, looked at, waited for and deleted, in a process of its own."""
