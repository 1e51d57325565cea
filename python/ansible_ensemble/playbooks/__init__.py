"""Playbooks of Ansible, read as Ansible reads them, and the ensemble that does the same."""
