"""Machines as the execution core reaches them: hosts of an inventory, and Ansible as an action of jobs."""
