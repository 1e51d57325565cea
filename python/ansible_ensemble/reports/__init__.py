"""Plans, jobs, drift, status and history as people read them, each made from its JSON document alone."""
