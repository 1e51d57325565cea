"""Objects as people write them: without what a server computes, and what is as it is anyway."""

from __future__ import annotations

from typing import Any, get_args, get_origin

import msgspec

from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import BundleMeta
from ansible_ensemble.provision.objects.codec import field_names, plain
from ansible_ensemble.provision.rules.features import FLAGS, flagged_task
from ansible_ensemble.provision.service.fields import as_new


def without_defaults(one: Object) -> dict[str, Any]:
    """The fields of an object that a pack has to say, its key first."""
    kind, key = type(one), type(one).key_field()
    return {key: one.key, **_without_defaults(kind, plain(as_new(_unflagged(one))))}


def meta_without_defaults(meta: BundleMeta) -> dict[str, Any]:
    """What a pack has to say of itself, its name first."""
    return {"Name": meta.name, **_without_defaults(BundleMeta, plain(meta))}


def _unflagged(one: Object) -> Object:
    """The object without the feature flags that each new one gets."""
    without = one.replaced(meta={name: text for name, text in one.meta.items() if name != FLAGS})
    return without if flagged_task(without) == one else one


def _without_defaults(kind: Any, value: Any) -> Any:
    """A value without the fields in it that have their defaults; what has no declared fields stays whole."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        types, defaults = field_names(kind), plain(kind())
        return {name: _without_defaults(types[name], inner) for name, inner in value.items() if inner != defaults[name]}
    if get_origin(kind) is list:
        return [_without_defaults(get_args(kind)[0], item) for item in value]
    return value
