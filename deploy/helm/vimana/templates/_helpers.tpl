{{- define "vimana.name" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "vimana.serviceAccount" -}}
{{- default (include "vimana.name" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "vimana.selector" -}}
app: {{ include "vimana.name" . }}
{{- end -}}

{{- define "vimana.labels" -}}
{{ include "vimana.selector" . }}
app.kubernetes.io/name: vimana
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- /* Those of the exporter, which no selector of the operator finds. */ -}}
{{- define "vimana.exporter.labels" -}}
{{ include "vimana.labels" . | replace (include "vimana.selector" .) (printf "%s-exporter" (include "vimana.selector" .)) }}
{{- end -}}

{{- /* The names of the groups that are on, in the order of the code. */ -}}
{{- define "vimana.dialects" -}}
{{- $on := list -}}
{{- range $name, $_ := (.Files.Get "files/parts.yaml" | fromYaml).dialects -}}
{{- if index $.Values.dialects $name }}{{ $on = append $on $name }}{{ end -}}
{{- end -}}
{{- join "," $on -}}
{{- end -}}

{{- /* Whether subresources are served: with instances, by the server of the webhooks. */ -}}
{{- define "vimana.subresources" -}}
{{- if and .Values.instances .Values.webhook.enabled .Values.subresources }}true{{ end -}}
{{- end -}}

{{- /* Rules of a part, with the name of the release for the one that stands there. */ -}}
{{- define "vimana.rules" -}}
{{- toYaml .rules | replace "RELEASE-NAME" .name -}}
{{- end -}}

{{- /* What every webhook says of how it is called; `path` beside the usual. */ -}}
{{- define "vimana.hook" }}
    admissionReviewVersions: [v1]
    matchPolicy: Equivalent
    timeoutSeconds: {{ .Values.webhook.timeoutSeconds }}
    clientConfig:
      service:
        namespace: {{ .Release.Namespace }}
        name: {{ include "vimana.name" . }}-webhook
        port: {{ .Values.webhook.servicePort }}
        path: {{ .path }}
    {{- with .Values.watchNamespace }}
    namespaceSelector:
      matchLabels:
        kubernetes.io/metadata.name: {{ . }}
    {{- end }}
{{- end }}

{{- /* Where cert-manager says whom to trust, the operator does not. */ -}}
{{- define "vimana.hookAnnotations" }}
{{- if .Values.webhook.certManager.enabled }}
  annotations:
    cert-manager.io/inject-ca-from: {{ .Release.Namespace }}/{{ include "vimana.name" . }}-webhook
{{- end }}
{{- end }}
