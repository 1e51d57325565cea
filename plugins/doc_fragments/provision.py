# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of the plugins for a server of machines."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments ``tosca.ensemble.provision``, ``.plugin``, ``.state``, ``.manner``, ``.change`` and ``.info``."""

    DOCUMENTATION = r"""
options:
  endpoint:
    description:
      - Address of the server, C(https://HOST:PORT), or addresses, with spaces between, of servers on one database.
      - Without it the environment variable E(RS_ENDPOINT) of the controller says it, or it is
        C(https://127.0.0.1:8092).
    type: str
  key:
    description:
      - User and password, C(USER:PASSWORD). All tasks of a run share one login.
      - Without it the environment variable E(RS_KEY) of the controller says it.
    type: str
  token:
    description:
      - A token, instead of O(key).
      - Without it the environment variable E(RS_TOKEN) of the controller says it.
    type: str
  ca_file:
    description:
      - File of certificates in PEM, of which one has signed the server's; by default those of the system.
      - Without this, O(fingerprint) and O(insecure), the environment variables E(RS_CA_FILE), E(RS_FINGERPRINT) and
        E(RS_INSECURE) of the controller say how the certificate is verified.
    type: path
  fingerprint:
    description: SHA-256 of the server's certificate, in hexadecimal, instead of a signature.
    type: str
  insecure:
    description: Take any certificate.
    type: bool
    default: false
requirements:
  - The libraries of C(pip install 'ansible-ensemble[provision]') on the controller.
seealso:
  - name: Machines from Ansible
    description: How modules, inventory and roles for machines go together.
    link: https://github.com/tosca-ensemble/tosca.ensemble/blob/main/docs/machines-ansible.md
attributes:
  action:
    description: Runs on the controller, whatever host it is called for; no connection to the host is made.
    support: full
  async:
    description: Can run as a background task.
    support: none
  action_group:
    description: Takes its defaults from C(module_defaults) of this group.
    support: full
    membership: [tosca.ensemble.provision]
  platform:
    description: The operating systems of the controller that it runs on.
    support: full
    platforms: posix
"""

    PLUGIN = r"""
options:
  endpoint:
    description:
      - Address of the server, C(https://HOST:PORT), or addresses, with spaces between, of servers on one database.
      - Without it, it is C(https://127.0.0.1:8092).
    type: str
    env:
      - name: RS_ENDPOINT
  key:
    description: User and password, C(USER:PASSWORD).
    type: str
    env:
      - name: RS_KEY
  token:
    description: A token, instead of O(key).
    type: str
    env:
      - name: RS_TOKEN
  ca_file:
    description:
      - File of certificates in PEM, of which one has signed the server's; by default those of the system.
      - Without this, O(fingerprint) and O(insecure), the environment variables E(RS_CA_FILE), E(RS_FINGERPRINT) and
        E(RS_INSECURE) of the controller say how the certificate is verified.
    type: path
  fingerprint:
    description: SHA-256 of the server's certificate, in hexadecimal, instead of a signature.
    type: str
  insecure:
    description: Take any certificate.
    type: bool
    default: false
requirements:
  - The libraries of C(pip install 'ansible-ensemble[provision]').
"""

    STATE = r"""
options:
  state:
    description: Whether it is to be there, V(present), or not, V(absent).
    type: str
    choices: [present, absent]
    default: present
"""

    MANNER = r"""
options:
  exact:
    description: Whether params and meta that are not named go; otherwise they stay.
    type: bool
    default: false
  force:
    description: Whether guards of machines are passed over, as that of the stage while tasks are pending.
    type: bool
    default: false
"""

    CHANGE = r"""
options: {}
attributes:
  check_mode:
    description: Can say what would change, and change nothing.
    support: full
    details: The server's own rules say what it would do, or why it would refuse.
  diff_mode:
    description: Shows what changed.
    support: full
    details: Secrets are never shown; that one changed, is.
"""

    INFO = r"""
options: {}
attributes:
  check_mode:
    description: Can say what would change, and change nothing.
    support: full
    details: Changes nothing.
  diff_mode:
    description: Shows what changed.
    support: none
"""
