"""A proxy on which connections can be cut and frozen."""

from __future__ import annotations

import contextlib
import socket
import threading


class Proxy:
    """Forwards bytes between its own port and another one until it is stopped."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._lock = threading.Condition()
        self._sockets: list[socket.socket] = []
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def wait_for(self, connections: int, patience: float) -> None:
        """Waits until there have been that many connections."""
        with self._lock:
            assert self._lock.wait_for(lambda: self.connections >= connections, patience)

    def cut(self) -> None:
        """Cuts every connection; new ones are passed on again."""
        with self._lock:
            sockets, self._sockets = self._sockets, []
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Cuts all connections and stops listening."""
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._port))
            except OSError:
                client.close()
                continue
            with self._lock:
                self.connections += 1
                self._sockets += [client, server]
                self._lock.notify_all()
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        source.close()
