#!/usr/bin/env python3
"""A module that asks for a Python of its own."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule


def main() -> None:
    AnsibleModule(argument_spec={}).exit_json(changed=False, said="with another python")


if __name__ == "__main__":
    main()
