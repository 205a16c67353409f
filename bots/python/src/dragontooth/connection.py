"""Where a service is, how to get there, and the calls that can be made."""

from __future__ import annotations

import os
import ssl
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from dragontooth.errors import InvalidSetting

DEFAULT_SERVER = "http://127.0.0.1:4640"
#: The longest answer that is read, in bytes: as much as a service sends.
ANSWER_BYTES_MAX = 64 * 2**20
TOKEN_LENGTHS = range(16, 257)
LOOPBACK = ("127.", "localhost", "::1", "[::1]")

Metadata = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Tls:
    """What a service has to prove on an `https://` address, and what is proved to it; PEM files."""

    #: The authorities against which the service is verified; None for the system's.
    ca: str | os.PathLike[str] | None = None
    #: The client's own certificate, and its key.
    cert: str | os.PathLike[str] | None = None
    key: str | os.PathLike[str] | None = None


@dataclass(frozen=True)
class Connection:
    """Where the service is, and who the player is.

    Raises `InvalidSetting` where the address, the token or the files of TLS are none.
    """

    #: `http://host:port`, `https://host:port`, or `host:port` for the former.
    server: str = DEFAULT_SERVER
    #: The player's secret: 16 to 256 visible ASCII characters.
    token: str = field(default="", repr=False)
    tls: Tls = Tls()
    _target: str = field(init=False, repr=False, default="")
    _credentials: Any = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        target, encrypted = parse_address(self.server)
        if self.token:
            check_token(self.token)
        credentials = None
        if encrypted:
            credentials = tls_credentials(self.tls)
        elif self.tls != Tls():
            raise InvalidSetting(
                f"the connection to {self.server} has no TLS, so there is nothing to prove: such an"
                " address begins with https://"
            )
        object.__setattr__(self, "_target", target)
        object.__setattr__(self, "_credentials", credentials)

    @classmethod
    def from_environment(
        cls,
        server: str | None = None,
        token: str | None = None,
        tls: Tls | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> Connection:
        """What is not given comes from the variables DRAGONTOOTH_SERVER, DRAGONTOOTH_TOKEN …"""
        found = environment.get
        if tls is None:
            names = ("DRAGONTOOTH_TLS_CA", "DRAGONTOOTH_TLS_CERT", "DRAGONTOOTH_TLS_KEY")
            tls = Tls(*(found(name) or None for name in names))
        return cls(
            server or found("DRAGONTOOTH_SERVER") or DEFAULT_SERVER,
            token or found("DRAGONTOOTH_TOKEN") or "",
            tls,
        )

    @property
    def metadata(self) -> Metadata:
        """The headers of every call."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    def channel(self) -> grpc.Channel:
        """A new connection, for threads. It connects when it is used."""
        if self._credentials is None:
            return grpc.insecure_channel(self._target, options=self._options())
        return grpc.secure_channel(self._target, self._credentials, options=self._options())

    def aio_channel(self) -> grpc.aio.Channel:
        """A new connection, for asyncio. It connects when it is used."""
        if self._credentials is None:
            return grpc.aio.insecure_channel(self._target, options=self._options())
        return grpc.aio.secure_channel(self._target, self._credentials, options=self._options())

    def _options(self) -> list[tuple[str, Any]]:
        options: list[tuple[str, Any]] = [
            ("grpc.max_receive_message_length", ANSWER_BYTES_MAX),
            # A new channel is a new connection, with pauses of its own between tries.
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 1000),
        ]
        if self._target.startswith(LOOPBACK):
            options.append(("grpc.enable_http_proxy", 0))
        return options


@dataclass(frozen=True)
class Method:
    """A method of the API."""

    service: str
    name: str
    answer: Any

    @property
    def path(self) -> str:
        return f"/dragontooth.v1.{self.service}/{self.name}"

    def unary(self, channel: Any) -> Callable[..., Any]:
        """The method on a channel, which gives one answer for a request."""
        call: Callable[..., Any] = channel.unary_unary(
            self.path, _serialize, self.answer.FromString
        )
        return call

    def unary_stream(self, channel: Any) -> Callable[..., Any]:
        """The method on a channel, which gives a stream of answers for a request."""
        call: Callable[..., Any] = channel.unary_stream(
            self.path, _serialize, self.answer.FromString
        )
        return call

    def stream_stream(self, channel: Any) -> Callable[..., Any]:
        """The method on a channel, which takes and gives streams."""
        call: Callable[..., Any] = channel.stream_stream(
            self.path, _serialize, self.answer.FromString
        )
        return call


def _serialize(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return data


def parse_address(text: str) -> tuple[str, bool]:
    """The host and port of an address, and whether the connection is encrypted."""

    def invalid(fault: str) -> InvalidSetting:
        shown = f"…@{text.rpartition('@')[2]}" if "@" in text else text
        return InvalidSetting(
            f"{shown!r} is no address of a service: {fault}; it looks like {DEFAULT_SERVER}"
        )

    full = text if "://" in text else f"http://{text}"
    try:
        url = urllib.parse.urlsplit(full)
        port = url.port
    except ValueError as error:
        raise invalid("its port is no number up to 65535") from error
    if url.scheme not in ("http", "https"):
        raise invalid("only http and https are spoken")
    if not url.hostname or any(c.isspace() for c in text):
        raise invalid("it names no host")
    if "@" in url.netloc:
        raise invalid("credentials do not belong in it")
    if url.path not in ("", "/") or url.query or url.fragment:
        raise invalid("nothing may follow the port")
    if url.netloc.endswith(":") or (port is None and "://" not in text):
        raise invalid("it has no port")
    encrypted = url.scheme == "https"
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return f"{host}:{port if port is not None else 443 if encrypted else 80}", encrypted


def check_token(token: str) -> None:
    """Raises `InvalidSetting`, without the text, if it is no token."""
    for place, character in enumerate(token, 1):
        if not "!" <= character <= "~":
            raise InvalidSetting(
                "a token is made of visible ascii characters without spaces;"
                f" character {place} is none"
            )
    if len(token) not in TOKEN_LENGTHS:
        raise InvalidSetting(f"a token has 16 to 256 characters, not {len(token)}")


def tls_credentials(tls: Tls) -> grpc.ChannelCredentials:
    """What grpcio needs of the files."""
    if (tls.cert is None) != (tls.key is None):
        raise InvalidSetting("a certificate and its key are given together, or neither")

    def read(path: str | os.PathLike[str]) -> bytes:
        try:
            return Path(path).read_bytes()
        except OSError as error:
            raise InvalidSetting(f"the file {os.fspath(path)} cannot be read: {error}") from error

    ca = read(tls.ca) if tls.ca is not None else system_authorities()
    cert = read(tls.cert) if tls.cert is not None else None
    key = read(tls.key) if tls.key is not None else None
    return grpc.ssl_channel_credentials(ca, key, cert)


def system_authorities() -> bytes | None:
    """The system's authorities, or those of SSL_CERT_FILE; None for those that grpcio brings."""
    place = ssl.get_default_verify_paths().cafile
    try:
        return Path(place).read_bytes() if place else None
    except OSError:
        return None
