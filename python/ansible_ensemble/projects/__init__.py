"""Ensembles and the projects they belong to: environments, git repositories, locks, vault, working folders."""
