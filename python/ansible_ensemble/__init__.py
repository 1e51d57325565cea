"""tosca.ensemble: state, plan, teardown, drift, order and history for Ansible."""

__version__ = "0.1.0"
