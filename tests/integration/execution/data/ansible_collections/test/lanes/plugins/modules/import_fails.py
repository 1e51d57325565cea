#!/usr/bin/python
"""A module that needs what is not there."""

from __future__ import annotations

import no_such_library_at_all
from ansible.module_utils.basic import AnsibleModule

if __name__ == "__main__":
    AnsibleModule(argument_spec={}).exit_json(version=no_such_library_at_all.__version__)
