"""The address of a service, its credentials and the methods of the API."""

from __future__ import annotations

import ipaddress
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
#: Greatest number of addresses of one service.
MAX_REPLICAS = 16
#: Time in milliseconds in which a connection has to be there if another address is left to try.
CONNECT_TIMEOUT_MS = 5000
#: Longest message accepted, in bytes: the longest that a service sends.
ANSWER_BYTES_MAX = 64 * 2**20
TOKEN_LENGTHS = range(16, 257)
LOOPBACK = ("127.", "localhost", "::1", "[::1]")

Metadata = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Tls:
    """PEM files for `https://`: the authorities to trust and the client's certificate."""

    #: The certificate authorities to trust; None means those of the system.
    ca: str | os.PathLike[str] | None = None
    #: The client's own certificate, and its key.
    cert: str | os.PathLike[str] | None = None
    key: str | os.PathLike[str] | None = None


@dataclass(frozen=True)
class Connection:
    """The address of the service and the identity of the player.

    Raises `InvalidSetting` if the address, the token or a TLS file is invalid.
    """

    #: `http://host:port`, `https://host:port`, or `host:port`, which means `http`. Several,
    #: separated by commas, are replicas of one service, to be tried in this order.
    server: str = DEFAULT_SERVER
    #: The player's secret: 16 to 256 visible ASCII characters.
    token: str = field(default="", repr=False)
    tls: Tls = Tls()
    #: True to send the token in the clear to `http://` addresses other than the loopback, where
    #: anyone on the way can read it.
    insecure_no_tls: bool = False
    #: The single addresses in `server`.
    addresses: Sequence[str] = field(init=False, repr=False, compare=False, default=())
    _targets: Sequence[str] = field(init=False, repr=False, default=())
    _credentials: Any = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        addresses = [text.strip() for text in self.server.split(",")]
        parsed = [parse_address(text) for text in addresses]
        encrypted = parsed[0][1]
        if len(parsed) > MAX_REPLICAS:
            raise InvalidSetting(f"{self.server!r} has more than {MAX_REPLICAS} addresses")
        if any(uses_tls is not encrypted for _, uses_tls in parsed):
            raise InvalidSetting(f"{self.server!r}: all addresses of a service use https, or none")
        targets = [target for target, _ in parsed]
        exposed = [f"http://{target}" for target in targets if not is_loopback(target)]
        if self.token:
            check_token(self.token)
        credentials = None
        if encrypted:
            credentials = tls_credentials(self.tls)
        elif self.tls != Tls():
            raise InvalidSetting(
                f"{self.server} does not use TLS, so TLS files are no use: the address must begin"
                " with https://"
            )
        elif self.token and exposed and not self.insecure_no_tls:
            raise InvalidSetting(
                f"the token would cross the network in the clear: {exposed[0]} does not use TLS;"
                " use https://, or allow it with --insecure-no-tls or"
                " DRAGONTOOTH_INSECURE_NO_TLS=true"
            )
        object.__setattr__(self, "addresses", tuple(addresses))
        object.__setattr__(self, "_targets", tuple(targets))
        object.__setattr__(self, "_credentials", credentials)

    @classmethod
    def from_environment(
        cls,
        server: str | None = None,
        token: str | None = None,
        tls: Tls | None = None,
        insecure_no_tls: bool = False,
        environment: Mapping[str, str] = os.environ,
    ) -> Connection:
        """Takes missing arguments from variables: DRAGONTOOTH_SERVER, _TOKEN, _TLS_* and
        _INSECURE_NO_TLS."""
        found = environment.get
        if tls is None:
            names = ("DRAGONTOOTH_TLS_CA", "DRAGONTOOTH_TLS_CERT", "DRAGONTOOTH_TLS_KEY")
            tls = Tls(*(found(name) or None for name in names))
        return cls(
            server or found("DRAGONTOOTH_SERVER") or DEFAULT_SERVER,
            token or found("DRAGONTOOTH_TOKEN") or "",
            tls,
            insecure_no_tls or found("DRAGONTOOTH_INSECURE_NO_TLS") == "true",
        )

    @property
    def metadata(self) -> Metadata:
        """The headers of every call."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    def channel(self, at: int = 0) -> grpc.Channel:
        """Returns a new channel for threads, to the address of that number in `addresses`.

        It connects on first use.
        """
        target, options = self._targets[at], self._options(at)
        if self._credentials is None:
            return grpc.insecure_channel(target, options=options)
        return grpc.secure_channel(target, self._credentials, options=options)

    def aio_channel(self, at: int = 0) -> grpc.aio.Channel:
        """Returns the same for asyncio."""
        target, options = self._targets[at], self._options(at)
        if self._credentials is None:
            return grpc.aio.insecure_channel(target, options=options)
        return grpc.aio.secure_channel(target, self._credentials, options=options)

    def _options(self, at: int) -> list[tuple[str, Any]]:
        options: list[tuple[str, Any]] = [
            ("grpc.max_receive_message_length", ANSWER_BYTES_MAX),
            # Without this, channels to one address share a connection and its backoff.
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 1000),
        ]
        if len(self._targets) > 1:
            # Whatever its name, it is also the time that an attempt to connect may take.
            options.append(("grpc.min_reconnect_backoff_ms", CONNECT_TIMEOUT_MS))
        if self._targets[at].startswith(LOOPBACK):
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
        """Returns the method as a unary call."""
        call: Callable[..., Any] = channel.unary_unary(
            self.path, _serialize, self.answer.FromString
        )
        return call

    def unary_stream(self, channel: Any) -> Callable[..., Any]:
        """Returns the method as a server-streaming call."""
        call: Callable[..., Any] = channel.unary_stream(
            self.path, _serialize, self.answer.FromString
        )
        return call

    def stream_stream(self, channel: Any) -> Callable[..., Any]:
        """Returns the method as a bidirectional call."""
        call: Callable[..., Any] = channel.stream_stream(
            self.path, _serialize, self.answer.FromString
        )
        return call


def _serialize(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return data


def parse_address(text: str) -> tuple[str, bool]:
    """Returns `host:port` of an address, and True if the connection uses TLS."""

    def invalid(fault: str) -> InvalidSetting:
        shown = f"…@{text.rpartition('@')[2]}" if "@" in text else text
        return InvalidSetting(
            f"{shown!r} is not a service address: {fault}; example: {DEFAULT_SERVER}"
        )

    full = text if "://" in text else f"http://{text}"
    try:
        url = urllib.parse.urlsplit(full)
        port = url.port
    except ValueError as error:
        raise invalid("its port is not a number up to 65535") from error
    if url.scheme not in ("http", "https"):
        raise invalid("only http and https are supported")
    if not url.hostname or any(c.isspace() for c in text):
        raise invalid("it has no host")
    if "@" in url.netloc:
        raise invalid("it contains credentials")
    if url.path not in ("", "/") or url.query or url.fragment:
        raise invalid("something follows the port")
    if url.netloc.endswith(":") or (port is None and "://" not in text):
        raise invalid("it has no port")
    encrypted = url.scheme == "https"
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return f"{host}:{port if port is not None else 443 if encrypted else 80}", encrypted


def is_loopback(target: str) -> bool:
    """Returns True if `host:port` is on this machine."""
    host = target.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_token(token: str) -> None:
    """Raises `InvalidSetting` if this is not a token. The error does not contain the text."""
    for place, character in enumerate(token, 1):
        if not "!" <= character <= "~":
            raise InvalidSetting(
                "a token consists of visible ASCII characters without spaces;"
                f" character {place} is not one"
            )
    if len(token) not in TOKEN_LENGTHS:
        raise InvalidSetting(f"a token has 16 to 256 characters; this one has {len(token)}")


def tls_credentials(tls: Tls) -> grpc.ChannelCredentials:
    """Reads the files into credentials for grpcio."""
    if (tls.cert is None) != (tls.key is None):
        raise InvalidSetting("a certificate needs its key, and a key its certificate")

    def read(path: str | os.PathLike[str]) -> bytes:
        try:
            return Path(path).read_bytes()
        except OSError as error:
            raise InvalidSetting(f"cannot read the file {os.fspath(path)}: {error}") from error

    ca = read(tls.ca) if tls.ca is not None else system_authorities()
    cert = read(tls.cert) if tls.cert is not None else None
    key = read(tls.key) if tls.key is not None else None
    return grpc.ssl_channel_credentials(ca, key, cert)


def system_authorities() -> bytes | None:
    """The authorities of the system or of SSL_CERT_FILE; None means those built into grpcio."""
    place = ssl.get_default_verify_paths().cafile
    try:
        return Path(place).read_bytes() if place else None
    except OSError:
        return None
