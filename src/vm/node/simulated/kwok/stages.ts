/**
 * Stage objects by which KWOK simulates Vimana's nodes and what is bound to them. Templates are in KWOK's language
 * (Go's), and report what Vimana's own fleet would.
 */

interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

interface StageSpec {
  readonly resourceRef: { readonly apiGroup: string; readonly kind: string };
  readonly selector: { readonly matchExpressions: readonly Requirement[] };
  readonly delay?: {
    readonly durationMilliseconds: number;
    readonly durationFrom?: { readonly expressionFrom: string };
    readonly jitterDurationMilliseconds?: number;
  };
  readonly next: { readonly statusTemplate?: string; readonly delete?: boolean };
}

export interface Stage {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: StageSpec;
}

const NODE = { apiGroup: 'v1', kind: 'Node' };
const POD = { apiGroup: 'v1', kind: 'Pod' };
const READY = '.status.conditions.[] | select( .type == "Ready" ) | .status';
const JOB_OWNER = '.metadata.ownerReferences.[].kind';
const START_DELAY = '.metadata.annotations["vimana.io/start-delay"]';
const DELETED = '.metadata.deletionTimestamp';

const NODE_CONDITIONS = `{{ $now := Now }}
{{ $since := or .metadata.creationTimestamp $now }}
conditions:
{{ range NodeConditions }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ $now | Quote }}
  lastTransitionTime: {{ $since | Quote }}
{{ end }}
`;

const NODE_ADDRESSES = `addresses:
{{ with .status.addresses }}
{{ YAML . 1 }}
{{ else }}
{{ with NodeIP }}
- type: InternalIP
  address: {{ . | Quote }}
{{ end }}
- type: Hostname
  address: {{ NodeName | Quote }}
{{ end }}
`;

const POD_READY = `{{ $now := Now }}
{{ $hostIP := NodeIPWith .spec.nodeName }}
{{ $podIP := PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) }}
phase: Running
startTime: {{ $now | Quote }}
hostIP: {{ $hostIP | Quote }}
hostIPs:
- ip: {{ $hostIP | Quote }}
podIP: {{ $podIP | Quote }}
podIPs:
- ip: {{ $podIP | Quote }}
conditions:
- type: PodReadyToStartContainers
  status: "True"
  lastTransitionTime: {{ $now | Quote }}
- type: Initialized
  status: "True"
  lastTransitionTime: {{ $now | Quote }}
- type: ContainersReady
  status: "True"
  lastTransitionTime: {{ $now | Quote }}
- type: Ready
  status: "True"
  lastTransitionTime: {{ $now | Quote }}
{{ range .spec.readinessGates }}
- type: {{ .conditionType | Quote }}
  status: "True"
  lastTransitionTime: {{ $now | Quote }}
{{ end }}
{{ if .spec.initContainers }}
initContainerStatuses:
{{ range .spec.initContainers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: true
  restartCount: 0
  state:
    terminated:
      exitCode: 0
      reason: Completed
      startedAt: {{ $now | Quote }}
      finishedAt: {{ $now | Quote }}
{{ end }}
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: true
  started: true
  restartCount: 0
  state:
    running:
      startedAt: {{ $now | Quote }}
{{ end }}
`;

const POD_COMPLETE = `{{ $now := Now }}
phase: Succeeded
conditions:
- type: Ready
  status: "False"
  reason: PodCompleted
  lastTransitionTime: {{ $now | Quote }}
- type: ContainersReady
  status: "False"
  reason: PodCompleted
  lastTransitionTime: {{ $now | Quote }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: false
  started: false
  restartCount: 0
  state:
    terminated:
      exitCode: 0
      reason: Completed
      startedAt: {{ $now | Quote }}
      finishedAt: {{ $now | Quote }}
{{ end }}
`;

/** All stages, in the order in which objects pass them. */
export const STAGES: readonly Stage[] = [
  stage('node-initialize', {
    resourceRef: NODE,
    selector: { matchExpressions: [{ key: READY, operator: 'NotIn', values: ['True'] }] },
    next: { statusTemplate: `${NODE_CONDITIONS}${NODE_ADDRESSES}phase: Running\n` },
  }),
  stage('node-heartbeat-with-lease', {
    resourceRef: NODE,
    selector: {
      matchExpressions: [
        { key: '.status.phase', operator: 'In', values: ['Running'] },
        { key: READY, operator: 'In', values: ['True'] },
      ],
    },
    // Leases show that the node is alive, so its status need not be written often.
    delay: { durationMilliseconds: 600_000, jitterDurationMilliseconds: 610_000 },
    next: { statusTemplate: NODE_CONDITIONS },
  }),
  stage('pod-ready', {
    resourceRef: POD,
    selector: {
      matchExpressions: [
        { key: DELETED, operator: 'DoesNotExist' },
        { key: '.status.podIP', operator: 'DoesNotExist' },
      ],
    },
    delay: { durationMilliseconds: 0, durationFrom: { expressionFrom: START_DELAY } },
    next: { statusTemplate: POD_READY },
  }),
  stage('pod-complete', {
    resourceRef: POD,
    selector: {
      matchExpressions: [
        { key: DELETED, operator: 'DoesNotExist' },
        { key: '.status.phase', operator: 'In', values: ['Running'] },
        { key: JOB_OWNER, operator: 'In', values: ['Job'] },
      ],
    },
    next: { statusTemplate: POD_COMPLETE },
  }),
  stage('pod-delete', {
    resourceRef: POD,
    selector: {
      matchExpressions: [
        { key: DELETED, operator: 'Exists' },
        { key: '.metadata.finalizers', operator: 'DoesNotExist' },
      ],
    },
    // Finalizers belong to other components, which remove them.
    next: { delete: true },
  }),
];

function stage(name: string, spec: StageSpec): Stage {
  return { apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Stage', metadata: { name }, spec };
}
