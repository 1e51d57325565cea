"""A stand-in for the facade of looking and mending."""

from ansible_ensemble.jobs.ansible import _note


def info(ensemble, *, gather, last, options, action, task_vars):
    _note("info", ensemble=ensemble, gather=gather, last=last, options=options)
    return {"changed": False, "text": f"what is known: {gather[0]}"}


def validate(ensemble, *, part, options, action):
    _note("validate", ensemble=ensemble, part=part, options=options)
    return {"changed": False}


def recover(ensemble, *, options, action):
    _note("recover", ensemble=ensemble, options=options)
    return {"changed": False}


def unlock(ensemble, *, lock_id, options, action):
    _note("unlock", ensemble=ensemble, lock_id=lock_id, options=options)
    return {"changed": True}


def forget(ensemble, *, instances, options, check, action):
    _note("forget", ensemble=ensemble, instances=instances, options=options, check=check)
    return {"changed": True}
