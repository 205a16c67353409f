"""As much of a Kubernetes API server as Helm needs to install a chart: it says which kinds there are, has nothing,
takes everything, and keeps what Helm notes of the release."""

import base64
import gzip
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

VERSION = {"major": "1", "minor": "33", "gitVersion": "v1.33.0"}

# The kinds that a chart may make, by the group and version of their API.
KINDS = {
    "v1": ["ConfigMap", "PersistentVolumeClaim", "Secret", "Service", "ServiceAccount"],
    "apps/v1": ["Deployment", "StatefulSet"],
    "batch/v1": ["Job"],
    "monitoring.coreos.com/v1": ["PrometheusRule", "ServiceMonitor"],
    "networking.k8s.io/v1": ["NetworkPolicy"],
    "policy/v1": ["PodDisruptionBudget"],
}

# How compressed data begins in base64.
PACKED_RELEASE = re.compile(rb"H4sI[A-Za-z0-9+/]+=*")

KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{{name: none, cluster: {{server: "{url}"}}}}]
users: [{{name: none, user: {{}}}}]
contexts: [{{name: none, context: {{cluster: none, user: none}}}}]
current-context: none
"""


def plural(kind):
    name = kind.lower()
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


class Cluster:
    """Such a server on a free port of the loopback."""

    def __init__(self):
        self.releases = {}
        cluster = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path = self.path.split("?")[0].strip("/")
                self.answer(*cluster.get(path))

            def do_POST(self):
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                cluster.keep(sent)
                self.answer_bytes(201, sent, self.headers["Content-Type"])

            do_PATCH = do_PUT = do_POST

            def answer(self, status, body):
                self.answer_bytes(status, json.dumps(body).encode(), "application/json")

            def answer_bytes(self, status, data, kind):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def kubeconfig(self):
        url = f"http://127.0.0.1:{self.server.server_port}"
        return KUBECONFIG.format(url=url)

    def get(self, path):
        if path == "version":
            return 200, VERSION
        if path == "api":
            return 200, {"kind": "APIVersions", "versions": ["v1"]}
        if path == "apis":
            return 200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": [group(each) for each in KINDS if "/" in each]}
        version = path.removeprefix("apis/").removeprefix("api/")
        if version in KINDS:
            verbs = ["create", "get", "list", "patch"]
            kinds = [{"name": plural(kind), "kind": kind, "namespaced": True, "verbs": verbs} for kind in KINDS[version]]
            return 200, {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": kinds}
        if path.endswith("/secrets"):
            return 200, {"kind": "SecretList", "apiVersion": "v1", "metadata": {}, "items": []}
        return 404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}

    def keep(self, sent):
        """Helm notes a release in a secret, as base64 of compressed JSON, whatever else is around it."""
        packed = PACKED_RELEASE.search(sent)
        if packed:
            release = json.loads(gzip.decompress(base64.b64decode(packed[0])))
            self.releases[release["name"]] = release


def group(version):
    name = version.split("/")[0]
    known = {"groupVersion": version, "version": version.split("/")[1]}
    return {"name": name, "versions": [known], "preferredVersion": known}
