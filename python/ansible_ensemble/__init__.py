"""tosca.ensemble: state, plan, teardown, drift, order and history for Ansible."""

import logging

__version__ = "0.1.0"

# `core.log` alone writes it, for it alone masks it: not Ansible's log, nor that of a program which uses the package
logging.getLogger(__name__).propagate = False
logging.getLogger(__name__).addHandler(logging.NullHandler())
