# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options that several modules share."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments ``tosca.ensemble.options``, ``.planning`` and ``.committing``."""

    DOCUMENTATION = r"""
options:
  ensemble:
    description:
      - The ensemble, a path of its C(ensemble.yaml), of the folder that holds it, or of a TOSCA service template.
      - The status of a service template goes to a new C(ensemble.yaml) beside it.
    type: path
    required: true
  environment:
    description: Name of the project's environment to use instead of the ensemble's own.
    type: str
"""

    PLANNING = r"""
options:
  instances:
    description: Limit the job to these instances.
    type: list
    elements: str
    aliases: [instance]
  templates:
    description: Limit the job to the instances of these node templates.
    type: list
    elements: str
    aliases: [template]
  inputs:
    description: Values of topology inputs; they win over those in the ensemble.
    type: dict
  repair:
    description:
      - Which instances that should work and do not are repaired.
      - V(error) repairs those in error, V(degraded) also the degraded ones, V(none) none.
      - V(error) if not given.
    type: str
    choices: [error, degraded, none]
  change_detection:
    description:
      - How changes of the configuration of existing instances are looked for.
      - V(evaluate) compares what their last configuration read with what it is now, V(always) does so even for
        instances marked as customized, V(skip) does not look.
      - V(evaluate) if not given.
    type: str
    choices: [evaluate, always, skip]
  skip_new:
    description: Make no instances of new node templates.
    type: bool
  check_first:
    description: Run the check operation of an instance before it is created, and create it only where it is absent.
    type: bool
  force:
    description: Run operations whatever the status is; on undeploy, also delete what others still need.
    type: bool
  upgrade:
    description: Take over changes of major versions of types.
    type: bool
  prune:
    description: Delete instances that the topology no longer holds.
    type: bool
  replace:
    description: Delete these instances and create them anew.
    type: list
    elements: str
  destroy_unmanaged:
    description: Delete also what this ensemble did not create.
    type: bool
  operation:
    description:
      - The operation that the workflow V(run) runs on each instance that has it.
      - Either C(Interface.operation) or the operation's name alone.
    type: str
  command:
    description: The command that the workflow V(run) runs instead of an operation.
    type: list
    elements: str
  host:
    description: The inventory host or instance on which O(command) runs.
    type: str
  module:
    description: The Ansible module that O(command) is given to.
    type: str
  trigger:
    description: The event, or the name of a policy's trigger, of the workflow C(notify).
    type: str
  notification:
    description: What the operations that O(trigger) sets off get as their input C(notification).
    type: raw
"""

    COMMITTING = r"""
options:
  commit:
    description: Commit what the job changed, in each git repository that it touched.
    type: bool
    default: false
  push:
    description: Push what was committed.
    type: bool
    default: false
  message:
    description: The commit message; one that names the job if not given.
    type: str
  dirty:
    description:
      - What to do if the repository has uncommitted changes before the job.
      - V(abort) stops, V(ok) goes on, V(auto) stops only if O(commit) is set.
    type: str
    choices: [abort, auto, ok]
"""

    ACTION = r"""
options: {}
attributes:
  action:
    description: Runs on the controller.
    support: full
  async:
    description: Can run as a background task.
    support: none
  action_group:
    description: Takes its defaults from C(module_defaults) of this group.
    support: full
    membership: [tosca.ensemble.ensemble]
  platform:
    description: The operating systems of the controller that it runs on.
    support: full
    platforms: posix
"""
