"""The scripted server of the client's tests."""

from __future__ import annotations

from tests.unit.provision.client.conftest import certificate, serving

__all__ = ["certificate", "serving"]
