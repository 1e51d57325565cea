#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is done by the action plugin of the same name.
"""Documentation of ``tosca.ensemble.survey``."""

from __future__ import annotations

DOCUMENTATION = r"""
module: survey
short_description: Make surveys of AWX from the inputs of an ensemble
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Makes the surveys by which people who launch jobs in AWX give inputs. The answers are extra variables
    C(input_NAME), which the playbooks of this collection take.
  - Types, limits and choices are those of the topology. Inputs last, so the questions have no defaults, which AWX
    would give as answers; they say what a value is at first, by the ensemble and its environment. An input that is
    sensitive, or named as a secret, is asked for as a password. A last question is which inputs go back to that
    (C(ensemble_reset_inputs)).
  - Of several ensembles, the surveys are those of templates that all of them share. Their first question is for which
    ensemble the job is; an input that only some of them have need not be answered.
  - Runs nothing and changes nothing. The role P(tosca.ensemble.awx#role) uses it.
extends_documentation_fragment:
  - tosca.ensemble.options
  - tosca.ensemble.options.survey
  - tosca.ensemble.options.action
options:
  further:
    description: Further ensembles of the repository.
    type: list
    elements: path
    default: []
attributes:
  check_mode:
    description: Makes no permanent changes.
    support: full
  diff_mode:
    description: Shows what changed.
    support: none
seealso:
  - module: tosca.ensemble.validate
"""

EXAMPLES = r"""
- name: Make the surveys
  tosca.ensemble.survey:
    ensemble: web/ensemble.yaml
  register: surveys

- name: Have AWX ask for the inputs
  awx.awx.job_template:
    name: Deploy the web
    project: web
    inventory: web
    playbook: tosca.ensemble.deploy
    extra_vars:
      ensemble: "{{ surveys.path }}"
    survey_enabled: true
    survey_spec: "{{ surveys.deploy }}"
"""

RETURN = r"""
path:
  description: The path of the first ensemble in its git repository, or in its project where there is none.
  returned: success
  type: str
  sample: web/ensemble.yaml
deploy:
  description: The survey of jobs that plan or deploy; empty if there are no inputs.
  returned: success
  type: dict
  sample:
    name: ""
    description: ""
    spec:
      - {question_name: size, question_description: "How many (unanswered: as deployed, at first 1)",
         variable: input_size, required: false, type: integer, min: 1, max: 9, default: ""}
others:
  description: The survey of other jobs, which need no answer; empty if there are no inputs.
  returned: success
  type: dict
choice:
  description: The question for which ensemble a job is, as a list; empty if there is one ensemble.
  returned: success
  type: list
  elements: dict
  sample: []
ensembles:
  description: The ensembles, each with those that use what it made, by an C(external) of their environment.
  returned: success
  type: list
  elements: dict
  sample: [{path: web/ensemble.yaml, used_by: [edge/ensemble.yaml]}, {path: edge/ensemble.yaml, used_by: []}]
workflows:
  description: For each workflow that the topology has, the survey of its jobs.
  returned: success
  type: dict
  sample: {backup: {}}
"""
