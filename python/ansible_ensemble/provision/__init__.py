"""Provision: machines driven through staged workflows (docs/provision.md)."""
