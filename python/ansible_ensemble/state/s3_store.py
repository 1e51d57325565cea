"""State as an object of S3, by boto3; the lock is an object beside it that is written if there is none yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.projects.lock import Lock, lock_text, parse_lock, renewal
from ansible_ensemble.state.document_store import DocumentStore
from ansible_ensemble.state.store import Unreachable, check_held, check_id

_MISSING = ("NoSuchKey", "404")
_TAKEN = ("PreconditionFailed", "ConditionalRequestConflict", "412", "409")
_UNKNOWN = ("NotImplemented", "501")


class S3Store(DocumentStore):
    """The store of an object."""

    leases = True

    def __init__(self, bucket: str, key: str, options: Mapping[str, str]) -> None:
        super().__init__(f"s3://{bucket}/{key}")
        self._bucket = bucket
        self._key = key
        self._lock_key = f"{key}.lock"
        self._client = _client(options)
        self._condition: dict[str, str] = {}

    @property
    def exclusive(self) -> bool:
        """See `Store`: the lock may be lost before the write, which then finds another version."""
        return False

    def get(self) -> bytes | None:
        """See `DocumentStore`."""
        document, version = self._object(self._key)
        self._condition = {"IfMatch": version} if version else {"IfNoneMatch": "*"}
        return document

    def put(self, document: bytes, lock_id: str) -> None:
        """See `DocumentStore`; refused if the object is no longer the one that was read or written last."""
        check_held(self._holder()[0], lock_id)
        given = {"Key": self._key, "Body": document, "ContentType": "application/json", **self._condition}
        done = self._call("put_object", _TAKEN, **given)
        if done is None:
            raise Locked(f"another job changed the state in {self.where} meanwhile")
        self._condition = {"IfMatch": done["ETag"]}

    def holder(self) -> Lock | None:
        """See `Store`."""
        return self._holder()[0]

    def take(self, lock: Lock) -> Lock | None:
        """See `Store`."""
        while True:
            text = lock_text(lock).encode()
            done = self._call("put_object", _TAKEN, Key=self._lock_key, Body=text, IfNoneMatch="*")
            holder, _version = self._holder()
            if done is not None and holder is not None and holder.id == lock.id:
                return None
            if holder is not None:
                return holder

    def renew(self, lock_id: str) -> None:
        """See `Store`."""
        holder, version = self._holder()
        text = lock_text(renewal(check_held(holder, lock_id))).encode()
        if self._call("put_object", _TAKEN, Key=self._lock_key, Body=text, IfMatch=version) is None:
            check_held(self._holder()[0], lock_id)

    def release(self, lock_id: str, *, forced: bool = False) -> None:  # noqa: ARG002  (the journal is in the state)
        """See `Store`."""
        holder, version = self._holder()
        check_id(holder, lock_id)
        # if another took it meanwhile, it stays; a service that knows no such condition refuses it
        if self._call("delete_object", (*_TAKEN, *_UNKNOWN), Key=self._lock_key, IfMatch=version) is None:
            holder, _version = self._holder()
            check_id(holder, lock_id)
            self._call("delete_object", Key=self._lock_key)

    def _holder(self) -> tuple[Lock | None, str]:
        text, version = self._object(self._lock_key)
        return (parse_lock(text.decode(errors="replace"), self.where) if text is not None else None), version

    def _object(self, key: str) -> tuple[bytes | None, str]:
        """The content of an object and its version; None and nothing if there is none."""
        answer = self._call("get_object", _MISSING, Key=key)
        return (None, "") if answer is None else (bytes(answer["Body"].read()), str(answer["ETag"]))

    def _call(self, verb: str, expected: tuple[str, ...] = (), **arguments: Any) -> Any:
        """Send a request; None if the answer is one of the expected refusals."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return getattr(self._client, verb)(Bucket=self._bucket, **arguments)
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            if code in expected:
                return None
            raise Unreachable(f"the state in {self.where} is unreachable: {error}") from None
        except BotoCoreError as error:
            raise Unreachable(f"the state in {self.where} is unreachable: {error}") from None


def _client(options: Mapping[str, str]) -> Any:
    try:
        import boto3
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError
    except ImportError:
        hint = "pip install 'ansible-ensemble[s3]'"
        raise EnsembleError("state in S3 needs the Python package boto3", hint=hint) from None
    given = {
        "region_name": options.get("region"),
        "aws_access_key_id": options.get("access_key"),
        "aws_secret_access_key": options.get("secret_key"),
        "aws_session_token": options.get("session_token"),
    }
    endpoint = options.get("endpoint")
    # an endpoint of one's own rarely has a host name for each bucket
    config = Config(s3={"addressing_style": "path"} if endpoint else None, retries={"mode": "standard"})
    try:
        session = boto3.session.Session(profile_name=options.get("profile"))
        verify = {"verify": options["ca"]} if "ca" in options else {}
        return session.client("s3", endpoint_url=endpoint, config=config, **given, **verify)
    except (BotoCoreError, ValueError) as error:
        raise EnsembleError(f"state in S3 cannot be used: {error}") from None
