# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of the modules."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments ``tosca.ensemble.options``, ``.action``, and one for the job options of each module."""

    DOCUMENTATION = r"""
options:
  ensemble:
    description:
      - The ensemble, a path of its C(ensemble.yaml), of the folder that holds it, or of a TOSCA service template.
      - The status of a service template goes to a new C(ensemble.yaml) beside it.
    type: path
    required: true
"""

    LOCK = r"""
options:
  # >>> fragment lock (make generate)
  lock_timeout:
    description: Wait up to this many seconds if another job holds the lock.
    type: float
    default: 0.0
  environment:
    description: Use this environment of the project instead of the ensemble's own.
    type: str
  # <<<
"""

    PLAN = r"""
options:
  # >>> fragment plan (make generate)
  instances:
    description: Limit the job to the instances of these names.
    type: list
    elements: str
    aliases: [instance]
  limit:
    description:
      - "Limit the job to what this pattern matches, as in Ansible: instances, hosts and groups, with all they
        host."
      - "The names are those of instances, of hosts and groups of the inventory, and of groups of instances:
        C(template_app), C(type_tosca_nodes_Compute), C(status_error), C(state_started), and those of the
        topology."
    type: str
  templates:
    description: Limit the job to the instances of these node templates.
    type: list
    elements: str
    aliases: [template]
  repair:
    description:
      - Repair broken instances.
      - V(error) repairs those in error, V(degraded) also the degraded ones, V(none) none.
    type: str
    choices: [error, degraded, none]
    default: error
  change_detection:
    description:
      - How to detect configuration changes of existing instances.
      - V(evaluate) compares the values that their last configuration read with the current ones, V(always) does
        so even for instances marked as customized, V(skip) disables it.
    type: str
    choices: [evaluate, always, skip]
    default: evaluate
  service_template:
    description:
      - Have the ensemble follow this service template from now on, instead of the one that it names.
      - A deploy writes it into the ensemble. As a variable it is relative to the ensemble's folder, for the
        command to the working directory.
    type: str
  skip_new:
    description: Do not create instances of new node templates.
    type: bool
    default: false
  prune:
    description: Delete instances that are no longer in the topology.
    type: bool
    default: false
  upgrade:
    description: Apply new major versions of types.
    type: bool
    default: false
  replace:
    description: Delete and recreate these instances.
    type: list
    elements: str
  check_first:
    description: Before an instance is created, run its check operation; create only what is absent.
    type: bool
    default: false
  force:
    description: Run operations regardless of status; when undeploying, also delete what others require.
    type: bool
    default: false
  destroy_unmanaged:
    description: Also delete instances that this ensemble did not create.
    type: bool
    default: false
  operation:
    description:
      - Run this operation on each instance that has it, as C(Interface.operation) or by its name alone.
      - For the workflow C(run).
    type: str
  command:
    description:
      - Run this command for each instance; it may contain expressions.
      - For the workflow C(run), instead of O(operation).
    type: list
    elements: str
  module:
    description: Give the command to this Ansible module, as its arguments.
    type: str
  host:
    description: Run the command on this instance or inventory host.
    type: str
  trigger:
    description: The event, or the name of a policy's trigger, of the workflow C(notify).
    type: str
  notification:
    description: Data that the operations of O(trigger) get as their input C(notification).
    type: raw
  inputs:
    description:
      - Values of topology inputs; they override those in the ensemble.
      - An extra variable C(input_NAME) sets an input as well, and wins; a text of it means a value of the input's
        type.
    type: dict
  reset_inputs:
    description:
      - Go back to the specification's value of this input, which an earlier job was given.
      - "An input that a job is given lasts: later jobs use its value until they are given another one."
    type: list
    elements: str
  environment:
    description: Use this environment of the project instead of the ensemble's own.
    type: str
  skip_upstream_check:
    description: Do not check whether git repositories are behind their upstreams.
    type: bool
    default: false
  # <<<
"""

    EXECUTE = r"""
options:
  # >>> fragment execute (make generate)
  instances:
    description: Limit the job to the instances of these names.
    type: list
    elements: str
    aliases: [instance]
  limit:
    description:
      - "Limit the job to what this pattern matches, as in Ansible: instances, hosts and groups, with all they
        host."
      - "The names are those of instances, of hosts and groups of the inventory, and of groups of instances:
        C(template_app), C(type_tosca_nodes_Compute), C(status_error), C(state_started), and those of the
        topology."
    type: str
  templates:
    description: Limit the job to the instances of these node templates.
    type: list
    elements: str
    aliases: [template]
  jobs:
    description:
      - Run up to this many operations in parallel.
      - V(0) is two per core, at least 4.
    type: int
    default: 0
  jobs_per_host:
    description:
      - Run up to this many of them in parallel on one host; does not apply to the controller.
      - V(0) is no limit.
    type: int
    default: 0
  fail_fast:
    description:
      - Start no further operations after a failure.
      - By default, operations that do not depend on the failed one still run.
    type: bool
    default: false
  fast_modules:
    description: Run local modules in a preloaded process instead of a new one each; the results are the same.
    type: bool
    default: true
  stock_modules:
    description: Run these modules as Ansible itself does, in a new process.
    type: list
    elements: str
  mesh:
    description:
      - Reach the nodes of the environment's mesh through the Receptor node with this control socket.
      - When left out, it is the socket that the environment names.
    type: str
  commit:
    description: Commit what the job changed, in each git repository that it touched.
    type: bool
    default: false
  dirty:
    description:
      - What to do if a repository has uncommitted changes before the job.
      - V(abort) stops, V(ok) continues, V(auto) stops only if the job commits.
    type: str
    choices: [abort, auto, ok]
    default: auto
  locked:
    description: Refuse repositories, commits and tools that differ from the ensemble's C(lock) section.
    type: bool
    default: false
  environment:
    description: Use this environment of the project instead of the ensemble's own.
    type: str
  # <<<
"""

    RECORD = r"""
options:
  # >>> fragment record (make generate)
  commit:
    description: Commit what the job changed, in each git repository that it touched.
    type: bool
    default: false
  push:
    description: Commit and push what the job changed.
    type: bool
    default: false
  message:
    description:
      - Message of the commit.
      - When left out, it is one that names the job.
    type: str
  dirty:
    description:
      - What to do if a repository has uncommitted changes before the job.
      - V(abort) stops, V(ok) continues, V(auto) stops only if the job commits.
    type: str
    choices: [abort, auto, ok]
    default: auto
  environment:
    description: Use this environment of the project instead of the ensemble's own.
    type: str
  # <<<
"""

    INFO = r"""
options:
  # >>> fragment info (make generate)
  environment:
    description: Use this environment of the project instead of the ensemble's own.
    type: str
  # <<<
"""

    VALIDATE = r"""
options:
  # >>> fragment validate (make generate)
  inputs:
    description:
      - Values of topology inputs; they override those in the ensemble.
      - An extra variable C(input_NAME) sets an input as well, and wins; a text of it means a value of the input's
        type.
    type: dict
  reset_inputs:
    description:
      - Go back to the specification's value of this input, which an earlier job was given.
      - "An input that a job is given lasts: later jobs use its value until they are given another one."
    type: list
    elements: str
  environment:
    description: Use this environment of the project instead of the ensemble's own.
    type: str
  # <<<
"""

    SURVEY = r"""
options:
  # >>> fragment survey (make generate)
  environment:
    description: Use this environment of the project instead of the ensemble's own.
    type: str
  # <<<
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
