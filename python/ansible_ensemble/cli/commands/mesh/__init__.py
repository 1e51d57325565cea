"""The commands of `ansible-ensemble mesh`."""
