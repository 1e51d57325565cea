"""From a workflow to a plan: an ordered list of named transforms over plain data."""
