"""The engine: a plan is rendered, executed and settled."""
