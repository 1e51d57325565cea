"""TOSCA: types, templates, requirement matching, substitution, workflows, policies. It knows nothing of status."""
