{{- define "dragontooth.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "dragontooth.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "dragontooth.name" .) .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "dragontooth.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "dragontooth.selector" -}}
app.kubernetes.io/name: {{ include "dragontooth.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "dragontooth.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "dragontooth.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "dragontooth.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}

{{- define "dragontooth.claim" -}}
{{- default (printf "%s-data" (include "dragontooth.fullname" .)) .Values.persistence.existingClaim }}
{{- end }}

{{/* The folder of the event log. Without a name it would be the volume itself, and an empty log. */}}
{{- define "dragontooth.data" -}}
/data/{{ default "log" .Values.persistence.folder }}
{{- end }}

{{/* The files of the way to the database, in a pod and in its container. */}}
{{- define "dragontooth.databaseVolumes" -}}
- name: log-password
  secret: {secretName: {{ .Values.log.passwordSecretName }}, defaultMode: 0440}
- name: log-ca
  secret:
    secretName: {{ .Values.log.caSecretName }}
    items: [{key: ca.crt, path: ca.crt}]
{{- end }}

{{- define "dragontooth.databaseMounts" -}}
- {name: log-password, mountPath: /log-password, readOnly: true}
- {name: log-ca, mountPath: /log-ca, readOnly: true}
{{- end }}

{{- define "dragontooth.databaseArguments" -}}
- --log
- {{ .Values.log.url | quote }}
- --log-password-file
- /log-password/password
- --log-ca
- /log-ca/ca.crt
{{- end }}

{{- define "dragontooth.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "dragontooth.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* What cannot be right, with the reason. */}}
{{- define "dragontooth.guard" -}}
{{- if not (regexMatch "^[a-z][-a-z0-9]*$" (include "dragontooth.fullname" .)) }}
{{- fail (printf "the service would be called %s, but in Kubernetes its name begins with a letter and has small letters, digits and dashes only: name the release so, or set fullnameOverride" (include "dragontooth.fullname" .)) }}
{{- end }}
{{- if .Values.log.url }}
{{- if regexMatch "://[^/@]*:[^/@]*@|[?&]password=" .Values.log.url }}
{{- fail "log.url has a password, which everyone who can read the pods would see: put it into a secret, and name that in log.passwordSecretName" }}
{{- end }}
{{- if not .Values.log.passwordSecretName }}
{{- fail "log.url needs log.passwordSecretName, a secret with the password of its user in the key password" }}
{{- end }}
{{- if not .Values.log.caSecretName }}
{{- fail "log.url needs log.caSecretName, a secret with the authorities of the database's certificate in ca.crt: the connection to another machine needs TLS" }}
{{- end }}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.egress) }}
{{- fail "networkPolicy.egress is empty, so that no pod would reach the database of log.url: allow it and the name server there, or set networkPolicy.enabled=false" }}
{{- end }}
{{- else }}
{{- if or .Values.log.passwordSecretName .Values.log.caSecretName }}
{{- fail "log.passwordSecretName and log.caSecretName need log.url, the address of the database" }}
{{- end }}
{{- if not (has (int .Values.replicas) (list 0 1)) }}
{{- fail (printf "replicas is %v, but it can only be 1, or 0 for maintenance: the event log on a volume serves one process at a time; several need it in a database (log.url)" .Values.replicas) }}
{{- end }}
{{- if and .Values.maintenance.args (ne (int .Values.replicas) 0) }}
{{- fail "maintenance.args needs replicas=0: the data serves one process at a time" }}
{{- end }}
{{- end }}
{{- if and (not .Values.tls.secretName) (not .Values.tls.insecure) }}
{{- fail "set tls.secretName to a secret with the service's certificate, or tls.insecure=true if something else protects the connections: without TLS anyone on the network path can read the tokens" }}
{{- end }}
{{- if and .Values.tls.clientCASecretName (not .Values.tls.secretName) }}
{{- fail "tls.clientCASecretName needs tls.secretName: without TLS no client shows a certificate" }}
{{- end }}
{{- if and (eq .Values.access.auth "open") (not .Values.access.insecureOpenPlayers) }}
{{- fail "access.auth=open lets everyone who can connect play; set access.insecureOpenPlayers=true if that is intended" }}
{{- end }}
{{- range $own := list "config" "data" "listen" "side-listen" "web" "web-public-watch" "auth" "shutdown-timeout" "tls-cert" "tls-key" "tls-client-ca" "in-memory" "insecure-no-tls" "insecure-open-players" "end-on-log-failure" "log" "log-password-file" "log-ca" "log-requires-standby" }}
{{- if hasKey $.Values.settings $own }}
{{- fail (printf "settings.%s is set by the chart itself; see values.yaml for what decides it" $own) }}
{{- end }}
{{- end }}
{{- if and .Values.tournament.enabled (not .Values.tournament.file) }}
{{- fail "tournament.enabled needs tournament.file, the tournament's file: --set-file tournament.file=cup.toml" }}
{{- end }}
{{- if and .Values.tournament.enabled (regexMatch "(?m)^[^#\n]*\\bformat[\"']?\\s*=\\s*[\"']arena[\"']" .Values.tournament.file) }}
{{- fail "tournament.file is an arena, which has no end, so a job of it would be over at the first drain of its node: run it in a Deployment of your own" }}
{{- end }}
{{- end }}
