"""The command `ansible-ensemble`: one module per command, and what they share."""
