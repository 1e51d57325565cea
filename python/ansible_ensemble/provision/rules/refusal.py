"""A refusal of a request, as its answer carries it."""

from __future__ import annotations

from ansible_ensemble.provision.objects.event import Error


class Refused(Exception):
    """A request that cannot be met.

    Attributes:
        error: the body of the answer; its code is the HTTP status.
    """

    def __init__(self, status: int, *messages: str, type: str = "", model: str = "", key: str = "") -> None:
        super().__init__("; ".join(messages))
        self.error = Error(model=model, key=key, type=type, messages=[str(one) for one in messages], code=status)


def invalid(*messages: str, model: str, key: str) -> Refused:
    """The refusal of an object that breaks a rule: 422, `ValidationError`."""
    return Refused(422, *messages, type="ValidationError", model=model, key=key)
