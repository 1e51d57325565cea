"""The Ansible lanes: modules, roles and playbooks run by warm processes instead of `ansible-playbook` per operation."""
