{{- define "vimana.name" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- /* Whether the cluster is one of `vimana up`, which has its own operator, with its roles, rules and subresources. */ -}}
{{- define "vimana.embedded" -}}
{{- if hasSuffix "+vimana" .Capabilities.KubeVersion.Version }}true{{ end -}}
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

{{- /* The APIServices that the server of the webhooks serves. */ -}}
{{- define "vimana.apiServices" -}}
{{- $parts := .Files.Get "files/parts.yaml" | fromYaml -}}
{{- $names := list -}}
{{- if include "vimana.subresources" . }}{{ $names = concat $names $parts.subresources.apiServices }}{{ end -}}
{{- if and .Values.webhook.enabled .Values.customMetrics }}{{ $names = concat $names $parts.customMetrics.apiServices }}{{ end -}}
{{- toYaml $names -}}
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

{{- /*
The definitions that this release wants: `own` are its to write, `left` are there and somebody else's, by owner. Nobody
is the owner of what was applied by hand or by `vimana install`.
*/ -}}
{{- define "vimana.definitions" -}}
{{- $parts := .Files.Get "files/parts.yaml" | fromYaml -}}
{{- $wanted := list -}}
{{- range $parts.instances.kinds -}}
{{- $wanted = append $wanted (dict "plural" .plural "group" "kubevirt.io") -}}
{{- end -}}
{{- range $name, $dialect := $parts.dialects -}}
{{- if index $.Values.dialects $name -}}
{{- range $dialect.kinds -}}
{{- $wanted = append $wanted (dict "plural" .plural "group" $dialect.group) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $own := list -}}
{{- $left := dict -}}
{{- range $wanted -}}
{{- $name := printf "%s.%s" .plural .group -}}
{{- $found := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" $name -}}
{{- $release := dig "metadata" "annotations" "meta.helm.sh/release-name" "" $found -}}
{{- $home := dig "metadata" "annotations" "meta.helm.sh/release-namespace" "" $found -}}
{{- if or (not $found) (and (eq $release $.Release.Name) (eq $home $.Release.Namespace)) -}}
{{- $own = append $own $name -}}
{{- else -}}
{{- $manager := dig "metadata" "labels" "app.kubernetes.io/managed-by" "" $found -}}
{{- $owner := "nobody" -}}
{{- if $release -}}
{{- $owner = printf "release %s in namespace %s" $release $home -}}
{{- else if $manager -}}
{{- $owner = $manager -}}
{{- end -}}
{{- $of := dict "name" $name "file" (printf "deploy/crds/%s_%s.yaml" .group .plural) -}}
{{- $left = set $left $owner (append (default list (get $left $owner)) $of) -}}
{{- end -}}
{{- end -}}
{{- dict "own" $own "left" $left | toYaml -}}
{{- end -}}

{{- /*
The group whose VMs have the short name vm: the one of vmShortName, else the one that has it in the cluster, else
kubevirt.io if it is on, else the first that is.
*/ -}}
{{- define "vimana.vmShortName" -}}
{{- $groups := list "kubevirt.io" -}}
{{- $on := list -}}
{{- range $name, $dialect := (.Files.Get "files/parts.yaml" | fromYaml).dialects -}}
{{- if index $.Values.dialects $name -}}
{{- $on = append $on $dialect.group -}}
{{- end -}}
{{- $groups = append $groups $dialect.group -}}
{{- end -}}
{{- $found := "" -}}
{{- range $groups -}}
{{- $definition := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" (printf "virtualmachines.%s" .) -}}
{{- if and (not $found) (has "vm" (dig "spec" "names" "shortNames" list $definition)) -}}
{{- $found = . -}}
{{- end -}}
{{- end -}}
{{- $chosen := ternary "kubevirt.io" (first $on) (has "kubevirt.io" $on) -}}
{{- .Values.vmShortName | default $found | default $chosen -}}
{{- end -}}

{{- /* Fails with all that a schema cannot say of values. */ -}}
{{- define "vimana.check" -}}
{{- $wrong := list -}}
{{- $name := include "vimana.name" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- $wrong = append $wrong (printf "%s is not a valid name of a Service, which starts with a letter and has no dots: set fullnameOverride" $name) -}}
{{- end -}}
{{- $groups := list -}}
{{- range $dialect, $part := (.Files.Get "files/parts.yaml" | fromYaml).dialects -}}
{{- if index $.Values.dialects $dialect }}{{ $groups = append $groups $part.group }}{{ end -}}
{{- end -}}
{{- if and .Values.vmShortName (not (has .Values.vmShortName $groups)) -}}
{{- $wrong = append $wrong (printf "vmShortName=%s is not a group that dialects turns on: %s" .Values.vmShortName (join ", " $groups)) -}}
{{- end -}}
{{- $seconds := dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0 -}}
{{- $patience := 0.0 -}}
{{- range regexFindAll "[0-9]+([.][0-9]+)?(ms|s|m|h)" .Values.nodeLostAfter -1 -}}
{{- $unit := regexFind "[a-z]+" . -}}
{{- $patience = addf $patience (mulf (trimSuffix $unit . | float64) (get $seconds $unit)) -}}
{{- end -}}
{{- if lt $patience 35.0 -}}
{{- $wrong = append $wrong (printf "nodeLostAfter=%s must be at least 35s: a node that cannot renew its lease stops its VMs after 30s" .Values.nodeLostAfter) -}}
{{- end -}}
{{- with .Values.carbon -}}
{{- if and (eq .provider "electricity-maps") (not .tokenSecret.name) -}}
{{- $wrong = append $wrong "carbon.provider=electricity-maps needs carbon.tokenSecret.name, the Secret with its token" -}}
{{- end -}}
{{- if and (eq .provider "static") (not .table) -}}
{{- $wrong = append $wrong "carbon.provider=static needs carbon.table, intensities by grid zone" -}}
{{- end -}}
{{- end -}}
{{- $taken := dict -}}
{{- $ports := list (list "metrics.port" .Values.metrics.port) (list "health.port" .Values.health.port) -}}
{{- if .Values.webhook.enabled -}}
{{- $ports = append $ports (list "webhook.port" .Values.webhook.port) -}}
{{- end -}}
{{- range $ports -}}
{{- $port := toString (int (last .)) -}}
{{- $taken = set $taken $port (append (default list (get $taken $port)) (first .)) -}}
{{- end -}}
{{- range $port, $names := $taken -}}
{{- if gt (len $names) 1 -}}
{{- $wrong = append $wrong (printf "%s use the same port %s: each needs its own port" (join ", " $names) $port) -}}
{{- end -}}
{{- end -}}
{{- if $wrong }}{{ fail (join "; " $wrong) }}{{ end -}}
{{- end -}}

{{- /* What clients in the cluster call a Service by, and further names. */ -}}
{{- define "vimana.hosts" -}}
{{- $full := printf "%s.%s" .name .namespace -}}
{{- concat (list .name $full (printf "%s.svc" $full) (printf "%s.svc.cluster.local" $full)) .more | join "," -}}
{{- end }}
