import type { KubeMeta, KubeObject } from '#platform/kube/kube-object';
import type { LabelSelector } from '../label-selector.ts';

/*
 * Fields of a pod that the API server interprets, all of which are optional. The schema of the kind has validated their
 * types.
 */

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodTemplate {
  metadata?: KubeMeta;
  spec?: PodSpec;
}

export type Quantities = Record<string, string>;

export interface PodSpec {
  containers?: Container[] | null;
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: Volume[];
  restartPolicy?: string;
  dnsPolicy?: string;
  dnsConfig?: { nameservers?: string[]; searches?: string[]; options?: { name?: string }[] };
  schedulerName?: string;
  securityContext?: PodSecurityContext;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  enableServiceLinks?: boolean;
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  shareProcessNamespace?: boolean;
  setHostnameAsFQDN?: boolean;
  hostname?: string;
  subdomain?: string;
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: Affinity;
  tolerations?: Toleration[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  schedulingGates?: { name?: string }[];
  readinessGates?: { conditionType?: string }[];
  imagePullSecrets?: { name?: string }[];
  hostAliases?: { ip?: string; hostnames?: string[] }[];
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
  runtimeClassName?: string;
  overhead?: Quantities;
  os?: { name?: string };
  resourceClaims?: PodResourceClaim[];
  resources?: Resources;
}

export interface PodResourceClaim {
  name?: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

interface PodStatus {
  phase?: string;
  qosClass?: string;
  [field: string]: unknown;
}

export interface Resources {
  limits?: Quantities;
  requests?: Quantities;
  claims?: { name?: string; request?: string }[];
}

export interface Container {
  name?: string;
  image?: string;
  imagePullPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  restartPolicy?: string;
  restartPolicyRules?: unknown[];
  ports?: ContainerPort[];
  env?: EnvVar[];
  envFrom?: EnvFrom[];
  resources?: Resources;
  resizePolicy?: { resourceName?: string; restartPolicy?: string }[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: { name?: string; devicePath?: string }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
  securityContext?: SecurityContext;
  targetContainerName?: string;
}

interface ContainerPort {
  name?: string;
  containerPort?: number;
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

export interface EnvVar {
  name?: string;
  value?: string;
  valueFrom?: EnvSource;
}

interface EnvSource {
  fieldRef?: FieldRef;
  resourceFieldRef?: ResourceFieldRef;
  configMapKeyRef?: KeyRef;
  secretKeyRef?: KeyRef;
  fileKeyRef?: { volumeName?: string; path?: string; key?: string; optional?: boolean };
}

export interface FieldRef {
  apiVersion?: string;
  fieldPath?: string;
}

export interface ResourceFieldRef {
  containerName?: string;
  resource?: string;
  divisor?: string;
}

export interface KeyRef {
  name?: string;
  key?: string;
}

export interface EnvFrom {
  prefix?: string;
  configMapRef?: { name?: string };
  secretRef?: { name?: string };
}

export interface VolumeMount {
  name?: string;
  mountPath?: string;
  subPath?: string;
  subPathExpr?: string;
  readOnly?: boolean;
  mountPropagation?: string;
  recursiveReadOnly?: string;
}

export interface Handler {
  exec?: { command?: string[] };
  httpGet?: HttpGet;
  tcpSocket?: { port?: number | string };
  grpc?: { port?: number; service?: string };
  sleep?: { seconds?: number };
}

export interface HttpGet {
  path?: string;
  port?: number | string;
  scheme?: string;
  httpHeaders?: { name?: string; value?: string }[];
}

export interface Probe extends Handler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

export interface SecurityProfile {
  type?: string;
  localhostProfile?: string;
}

export interface SecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  procMount?: string;
  seccompProfile?: SecurityProfile;
  appArmorProfile?: SecurityProfile;
}

export interface PodSecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  fsGroup?: number;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: string;
  fsGroupChangePolicy?: string;
  sysctls?: { name?: string; value?: string }[];
  seccompProfile?: SecurityProfile;
  appArmorProfile?: SecurityProfile;
}

export interface KeyToPath {
  key?: string;
  path?: string;
  mode?: number;
}

export interface DownwardFile {
  path?: string;
  fieldRef?: FieldRef;
  resourceFieldRef?: ResourceFieldRef;
  mode?: number;
}

/** Volume sources of which the server only knows the names. */
type OtherVolumeSource =
  | 'gitRepo'
  | 'gcePersistentDisk'
  | 'awsElasticBlockStore'
  | 'glusterfs'
  | 'flocker'
  | 'cinder'
  | 'cephfs'
  | 'quobyte'
  | 'fc'
  | 'flexVolume'
  | 'azureFile'
  | 'vsphereVolume'
  | 'photonPersistentDisk'
  | 'portworxVolume'
  | 'storageos';

export interface VolumeSources extends Partial<Record<OtherVolumeSource, unknown>> {
  emptyDir?: { sizeLimit?: string; medium?: string };
  hostPath?: { path?: string; type?: string };
  secret?: { secretName?: string; items?: KeyToPath[]; defaultMode?: number };
  configMap?: { name?: string; items?: KeyToPath[]; defaultMode?: number };
  downwardAPI?: { items?: DownwardFile[]; defaultMode?: number };
  projected?: { sources?: Projection[] | null; defaultMode?: number };
  persistentVolumeClaim?: { claimName?: string };
  nfs?: { server?: string; path?: string };
  iscsi?: { targetPortal?: string; iqn?: string; iscsiInterface?: string };
  csi?: { driver?: string };
  ephemeral?: { volumeClaimTemplate?: { metadata?: KubeMeta; spec?: Record<string, unknown> } };
  image?: { reference?: string; pullPolicy?: string };
  rbd?: { pool?: string; user?: string; keyring?: string };
  azureDisk?: { cachingMode?: string; kind?: string; fsType?: string; readOnly?: boolean };
  scaleIO?: { storageMode?: string; fsType?: string };
}

export interface Volume extends VolumeSources {
  name?: string;
}

export interface Projection {
  secret?: { name?: string; items?: KeyToPath[] };
  configMap?: { name?: string; items?: KeyToPath[] };
  downwardAPI?: { items?: DownwardFile[] };
  serviceAccountToken?: { path?: string; expirationSeconds?: number; audience?: string };
  clusterTrustBundle?: { path?: string };
  podCertificate?: unknown;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface NodeRequirement {
  key?: string;
  operator?: string;
  values?: string[];
}

export interface NodeTerm {
  matchExpressions?: NodeRequirement[];
  matchFields?: NodeRequirement[];
}

export interface NodeSelector {
  nodeSelectorTerms?: NodeTerm[] | null;
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  namespaces?: string[];
  topologyKey?: string;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; podAffinityTerm?: PodAffinityTerm }[];
}

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
    preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; preference?: NodeTerm }[];
  };
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAffinity;
}

export interface TopologySpreadConstraint {
  maxSkew?: number;
  topologyKey?: string;
  whenUnsatisfiable?: string;
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
}
