"""A job is five verbs over the other rooms: read, plan, render, execute, record."""
