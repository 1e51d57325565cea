"""What somebody wants to be on a server: objects in a state, machines through a workflow; and what a dry run tells."""
