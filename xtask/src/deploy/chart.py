"""Renders the Helm chart as Helm does, for several values, and checks the result: chart.py CHART_FOLDER.

Needs helm-sdkpy, kubernetes-validate and PyYAML. Prints a line for each case, and exits with 1 at the first fault.
"""

import asyncio
import sys

import helm_sdkpy
import kubernetes_validate
import yaml
from cluster import Cluster

CHART = sys.argv[1]
ALERTS = "deploy/prometheus/alerts.yaml"
DASHBOARD = "deploy/grafana/dashboards/dragontooth.json"

# The oldest of the versions that the chart is for whose schemas there are, and the newest.
KUBERNETES = ["1.27", "1.33"]

TLS = {"tls": {"secretName": "play-tls"}}
PEER = {"namespaceSelector": {"matchLabels": {"name": "games"}}}
CUP_FILE = "[event]\nname = 'cup'\nformat = 'swiss' # no format = 'arena'\n"
CUP = {"enabled": True, "file": CUP_FILE, "tokensSecretName": "cup-tokens", "caSecretName": "play-tls"}

LOG = {"url": "postgres://dragontooth@db1,db2/dragontooth", "passwordSecretName": "play-log", "caSecretName": "db-ca"}
DATABASE = TLS | {"log": LOG, "networkPolicy": {"egress": [{"to": [PEER]}]}}
LOG_ARGUMENTS = ["--log", LOG["url"], "--log-password-file", "/log-password/password", "--log-ca", "/log-ca/ca.crt"]

RESTORE = ["restore", "--from", "/backup/all"]

# Values, and the kinds that come of them.
PLAIN = ["NetworkPolicy", "PersistentVolumeClaim", "PodDisruptionBudget", "Service", "Service", "ServiceAccount", "StatefulSet"]
SHARED = ["Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service", "Service", "ServiceAccount"]
CASES = {
    "least": (TLS, PLAIN),
    "open within": (
        {
            "tls": {"insecure": True},
            "access": {"auth": "open", "insecureOpenPlayers": True},
            "podDisruptionBudget": {"enabled": False},
            "networkPolicy": {"enabled": False},
            "web": {"enabled": True},
            "persistence": {"existingClaim": "mine"},
        },
        ["Service", "Service", "Service", "ServiceAccount", "StatefulSet"],
    ),
    "all": (
        {
            "tls": {"secretName": "play-tls", "clientCASecretName": "players-ca"},
            "shutdownTimeoutSeconds": 90,
            "settings": {"max-live-matches": 1000000, "log-format": "text", "connection-age": "30m"},
            "imagePullSecrets": [{"name": "registry"}],
            "persistence": {"storageClassName": "fast"},
            "service": {"type": "LoadBalancer", "annotations": {"a": "b"}},
            "serviceAccount": {"annotations": {"a": "b"}},
            "podAnnotations": {"a": "b"},
            "podLabels": {"a": "b"},
            "nodeSelector": {"a": "b"},
            "tolerations": [{"operator": "Exists"}],
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{}]}}},
            "priorityClassName": "high",
            "web": {"enabled": True, "publicWatch": True, "service": {"type": "NodePort", "port": 443, "annotations": {"a": "b"}}},
            "networkPolicy": {"players": [PEER], "browsers": [PEER], "watchers": [PEER], "egress": [{"to": [PEER]}]},
            "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
            "prometheusRule": {"enabled": True, "labels": {"release": "prometheus"}},
            "dashboard": {"enabled": True},
            "tournament": CUP | {"persistence": {"storageClassName": "fast"}},
        },
        ["ConfigMap", "ConfigMap", "Job", *PLAIN, "PersistentVolumeClaim", "PrometheusRule", "Service", "ServiceMonitor"],
    ),
    "maintenance": (TLS | {"replicas": 0, "maintenance": {"args": ["verify", "--data", "/data/log"]}}, ["Job", *PLAIN]),
    "restore": (TLS | {"replicas": 0, "maintenance": {"args": RESTORE + ["--data", "/data/new"], "claim": "backups"}}, ["Job", *PLAIN]),
    # As --reuse-values leaves it, from a release by a chart without this value.
    "no folder": (TLS | {"persistence": {"folder": None}}, PLAIN),
    "restored": (TLS | {"persistence": {"folder": "new"}}, PLAIN),
    "stopped": (TLS | {"replicas": 0}, PLAIN),
    "replicas": (DATABASE | {"replicas": 3}, SHARED),
    "replicas, all": (
        DATABASE
        | {
            "replicas": 5,
            "log": LOG | {"requiresStandby": False},
            "podDisruptionBudget": {"maxUnavailable": 2},
            "topologySpreadConstraints": [{"maxSkew": 2, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"}],
            "maintenance": {"args": ["token", "create", "operator"]},
        },
        ["Job", *SHARED],
    ),
    "into a database": (
        DATABASE | {"replicas": 0, "maintenance": {"args": RESTORE, "claim": "cup-dragontooth-data"}},
        ["Job", *SHARED],
    ),
}

# Values that cannot be right, and what is said of them.
REFUSED = [
    (TLS | {"replicas": 2}, "several need it in a database (log.url)"),
    (TLS | {"log": {"passwordSecretName": "play-log"}}, "need log.url"),
    (DATABASE | {"log": LOG | {"url": "mysql://db/dragontooth"}}, "log/url"),
    (DATABASE | {"log": LOG | {"url": "postgres://a:b@db/dragontooth"}}, "log.url has a password"),
    (DATABASE | {"log": LOG | {"url": "postgres://a@db/dragontooth?password=b"}}, "log.url has a password"),
    (DATABASE | {"log": LOG | {"passwordSecretName": ""}}, "needs log.passwordSecretName"),
    (DATABASE | {"log": LOG | {"caSecretName": ""}}, "needs log.caSecretName"),
    (DATABASE | {"networkPolicy": {}}, "networkPolicy.egress is empty"),
    (DATABASE | {"settings": {"log-ca": "/elsewhere"}}, "set by the chart itself"),
    (TLS | {"replicas": -1}, "replicas"),
    ({}, "set tls.secretName"),
    ({"tls": {"insecure": True, "clientCASecretName": "ca"}}, "needs tls.secretName"),
    (TLS | {"access": {"auth": "open"}}, "lets everyone who can connect play"),
    (TLS | {"access": {"auth": "closed"}}, "access/auth"),
    (TLS | {"maintenance": {"args": ["verify"]}}, "needs replicas=0"),
    (TLS | {"settings": {"data": "/elsewhere"}}, "set by the chart itself"),
    (TLS | {"settings": {"web": "0.0.0.0:80"}}, "set by the chart itself"),
    (TLS | {"web": {"port": 80}}, "port"),
    (TLS | {"settings": {"config": "/etc/service.toml"}}, "set by the chart itself"),
    (TLS | {"settings": {"MAX_STREAMS": 1}}, "MAX_STREAMS"),
    (TLS | {"settings": {"max-stream": 1}}, "max-stream'"),
    (TLS | {"settings": {"max-streams": 0}}, "max-streams"),
    (TLS | {"settings": {"max-streams": "many"}}, "max-streams"),
    (TLS | {"settings": {"connection-age": 30}}, "connection-age"),
    (TLS | {"settings": {"connection-age": "30"}}, "connection-age"),
    (TLS | {"settings": {"log-format": "xml"}}, "log-format"),
    (TLS | {"persistence": {"size": "0Gi"}}, "persistence/size"),
    (TLS | {"persistence": {"size": "10K"}}, "persistence/size"),
    (TLS | {"persistence": {"folder": "../log"}}, "persistence/folder"),
    (TLS | {"nameOverride": "Games"}, "nameOverride"),
    (TLS | {"fullnameOverride": "my_games"}, "fullnameOverride"),
    (TLS | {"tournament": {"enabled": True}}, "needs tournament.file"),
    (TLS | {"tournament": CUP | {"file": "[event]\nname = 'club'\nformat = 'arena'\n"}}, "has no end"),
    (TLS | {"tournament": CUP | {"file": 'event = { name = "club", "format"="arena" }\n'}}, "has no end"),
    (TLS | {"shutdownTimeoutSeconds": 0}, "shutdownTimeoutSeconds"),
    (TLS | {"shutdownGraceSeconds": 0}, "shutdownGraceSeconds"),
    (TLS | {"replica": 1}, "replica"),
]

# Names that Helm takes for a release, and Kubernetes for no service.
WRONG_NAMES = ["2games", "my.games", "9"]


def expect(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def install(values, name="cup"):
    """What Helm would apply, with its notes."""
    cluster = Cluster()
    configuration = helm_sdkpy.Configuration(namespace="games", kubeconfig=cluster.kubeconfig())
    installed = helm_sdkpy.Install(configuration).run(name, CHART, values=values, wait=False, timeout=30)
    asyncio.run(installed)
    release = cluster.releases[name]
    return [each for each in yaml.safe_load_all(release["manifest"]) if each], release["info"]["notes"]


def pods(manifests):
    return [each["spec"]["template"]["spec"] for each in manifests if "template" in each.get("spec", {})]


def check_pod(pod, what):
    expect(pod["automountServiceAccountToken"] is False, f"{what}: a pod has a token of the cluster")
    expect(pod["enableServiceLinks"] is False, f"{what}: variables of services look like settings")
    security = pod["securityContext"]
    expect(security["runAsNonRoot"] and security["runAsUser"] > 0, f"{what}: a pod may run as root")
    expect(security["seccompProfile"] == {"type": "RuntimeDefault"}, f"{what}: a pod has all system calls")
    for container in pod["containers"]:
        security = container["securityContext"]
        expect(security["readOnlyRootFilesystem"], f"{what}: a root can be written")
        expect(security["allowPrivilegeEscalation"] is False, f"{what}: privileges can be gained")
        expect(security["capabilities"] == {"drop": ["ALL"]}, f"{what}: a container has capabilities")
        expect("memory" in container["resources"]["limits"], f"{what}: a container has no limit of memory")


def check(what, values, kinds):
    manifests, notes = install(values)
    found = sorted(each["kind"] for each in manifests)
    expect(found == sorted(kinds), f"{what}: {found}")
    expect("Players reach the service at" in notes, f"{what}: {notes}")
    for each in manifests:
        if not each["apiVersion"].startswith("monitoring.coreos.com/"):
            for version in KUBERNETES:
                kubernetes_validate.validate(each, version, strict=True)
    for pod in pods(manifests):
        check_pod(pod, what)
    (service,) = [each for each in manifests if each["kind"] in ["StatefulSet", "Deployment"]]
    is_parallel = service["spec"].get("podManagementPolicy") == "Parallel"
    expect(is_parallel == (service["kind"] == "StatefulSet"), f"{what}: a rollback would wait for the pod that it replaces")
    service_name = service["metadata"]["name"]
    service = service["spec"]["template"]["spec"]
    check_log(what, values, manifests, service)
    check_maintenance(what, values, manifests)
    # With --reuse-values the next upgrade would run the job again.
    expect(("without maintenance.args" in notes) == ("maintenance" in values), f"{what}: {notes}")
    # A job on the volume fails while the pod drains.
    waits = f"wait --for delete pod/{service_name}-0" in notes
    expect(waits == ("before the service runs" in notes), f"{what}: {notes}")
    check_tournament(what, values, manifests)
    check_web(what, values, manifests, service)
    variables = {each["name"]: each["value"] for each in service["containers"][0]["env"]}
    timeout = int(variables["DRAGONTOOTH_SHUTDOWN_TIMEOUT"].removesuffix("s"))
    expect(timeout == values.get("shutdownTimeoutSeconds", 20), f"{what}: the shutdown timeout is {timeout} s")
    grace = service["terminationGracePeriodSeconds"]
    expect(grace >= timeout + 5, f"{what}: {timeout} s for the shutdown, and {grace} s until it is killed")
    for probe in ["livenessProbe", "readinessProbe"]:
        expect(service["containers"][0][probe]["httpGet"]["port"] == "side", f"{what}: a probe asks another port")
    return {each["kind"]: each for each in manifests}, variables, notes


def check_web(what, values, manifests, pod):
    """The port of the page leads from its service to the program, and is not there unless it is wanted."""
    web = values.get("web", {})
    wanted = bool(web.get("enabled"))
    services = {each["metadata"]["name"]: each["spec"]["ports"][0] for each in manifests if each["kind"] == "Service"}
    named = {name: port for name, port in services.items() if name.endswith("-web")}
    expect([port["port"] for port in named.values()] == [web.get("service", {}).get("port", 4643)] * wanted, f"{what}: {services}")
    ports = {each["name"]: each["containerPort"] for each in pod["containers"][0]["ports"]}
    variables = {each["name"]: each["value"] for each in pod["containers"][0]["env"]}
    listens = f"0.0.0.0:{ports['web']}" if wanted else None
    expect(("web" in ports) == wanted, f"{what}: {ports}")
    expect(variables.get("DRAGONTOOTH_WEB") == listens, f"{what}: {variables}")
    is_public = {True: "true", False: "false"}[web.get("publicWatch", False)] if wanted else None
    expect(variables.get("DRAGONTOOTH_WEB_PUBLIC_WATCH") == is_public, f"{what}: {variables}")
    for policy in [each["spec"]["ingress"] for each in manifests if each["kind"] == "NetworkPolicy"]:
        open_to = [rule.get("from") for rule in policy if rule["ports"][0]["port"] == "web"]
        expect(open_to == [values.get("networkPolicy", {}).get("browsers")] * wanted, f"{what}: {policy}")


def check_log(what, values, manifests, service):
    """On a volume the service has the volume; on a database it has what reaches it, and so has the job."""
    budgets = [each["spec"]["maxUnavailable"] for each in manifests if each["kind"] == "PodDisruptionBudget"]
    budget = values.get("podDisruptionBudget", {}).get("maxUnavailable")
    jobs = [each["spec"]["template"]["spec"] for each in manifests if each["metadata"]["name"].endswith("-maintenance-1")]
    if "log" not in values:
        expect([each["name"] for each in service["volumes"]][0] == "data", f"{what}: no volume")
        folder = values.get("persistence", {}).get("folder") or "log"
        data = {"name": "DRAGONTOOTH_DATA", "value": f"/data/{folder}"}
        expect(data in service["containers"][0]["env"], f"{what}: the data is not in {folder}")
        expect("topologySpreadConstraints" not in service, f"{what}: one pod is spread")
        expect(budgets in [[], [0]], f"{what}: {budgets} may be unavailable")
        return
    arguments = service["containers"][0]["args"]
    standby = ["--log-requires-standby"] * values["log"].get("requiresStandby", True)
    expect(arguments == ["serve", *LOG_ARGUMENTS, *standby], f"{what}: {arguments}")
    for job in jobs:
        arguments = job["containers"][0]["args"]
        expect(arguments == [*values["maintenance"]["args"], *LOG_ARGUMENTS], f"{what}: {arguments}")
    for pod in [service, *jobs]:
        files = {each["mountPath"]: each["name"] for each in pod["containers"][0]["volumeMounts"]}
        secrets = {each["name"]: each["secret"]["secretName"] for each in pod["volumes"] if "secret" in each}
        expect(secrets[files["/log-password"]] == "play-log", f"{what}: {secrets}")
        expect(secrets[files["/log-ca"]] == "db-ca", f"{what}: {secrets}")
    spread = [each["topologyKey"] for each in service["topologySpreadConstraints"]]
    usual = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]
    wanted = [each["topologyKey"] for each in values.get("topologySpreadConstraints", [])] or usual
    expect(spread == wanted, f"{what}: spread by {spread}")
    expect(budgets == [1 if budget is None else budget], f"{what}: {budgets} may be unavailable")


def check_maintenance(what, values, manifests):
    """A job has the volume of the log, unless the log is in a database, and that of the backups at /backup."""
    wanted = {} if "log" in values else {"/data": "cup-dragontooth-data"}
    if "claim" in values.get("maintenance", {}):
        wanted["/backup"] = values["maintenance"]["claim"]
    for job in [each for each in manifests if each["metadata"]["name"].endswith("-maintenance-1")]:
        pod = job["spec"]["template"]["spec"]
        claims = {each["name"]: each["persistentVolumeClaim"]["claimName"] for each in pod["volumes"] if "persistentVolumeClaim" in each}
        found = {each["mountPath"]: claims[each["name"]] for each in pod["containers"][0]["volumeMounts"] if each["name"] in claims}
        expect(found == wanted, f"{what}: {found}")


def check_tournament(what, values, manifests):
    """A verdict ends the job, and a pod that is drained does not count as one that failed."""
    policies = [each["spec"]["podFailurePolicy"] for each in manifests if "podFailurePolicy" in each.get("spec", {})]
    verdict = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 2]}, "onPodConditions": []}
    drain = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    expect(policies == [{"rules": [verdict, drain]}] * ("tournament" in values), f"{what}: {policies}")


def check_refused(values, name, reason):
    try:
        install(values, name)
    except helm_sdkpy.HelmError as error:
        expect(reason in str(error), f"{name}, {values}: {error}")
    else:
        sys.exit(f"FAILED: {name}, {values} should be refused: {reason}")


def main():
    for what, (values, kinds) in CASES.items():
        manifests, variables, notes = check(what, values, kinds)
        if what == "restored":
            expect("--scopes,admin,--data,/data/new}" in notes, f"{what}: {notes}")
        if what == "all":
            with open(ALERTS, encoding="utf-8") as alerts:
                expect(manifests["PrometheusRule"]["spec"] == yaml.safe_load(alerts), "the alerts are others")
            with open(DASHBOARD, encoding="utf-8") as dashboard:
                texts = [each["data"] for each in install(values)[0] if each["kind"] == "ConfigMap"]
                expect({"dragontooth.json": dashboard.read()} in texts, "the dashboard is another")
            expect(variables["DRAGONTOOTH_MAX_LIVE_MATCHES"] == "1000000", f"{variables}")
        print(f"{what}: {len(kinds)} objects")
    for values, reason in REFUSED:
        check_refused(values, "cup", reason)
    print(f"{len(REFUSED)} wrong values: refused with their reasons")
    for name in WRONG_NAMES:
        check_refused(TLS, name, "set fullnameOverride")
        install(TLS | {"fullnameOverride": "games"}, name)
    print(f"{len(WRONG_NAMES)} names that no service can have: refused, unless another is set")


if __name__ == "__main__":
    main()
