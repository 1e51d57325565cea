"""Plans, jobs, drift, status and history in readable form, each made from its JSON document alone."""
