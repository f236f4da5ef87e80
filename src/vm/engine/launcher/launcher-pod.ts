import {
  GENERATION_ANNOTATION,
  IDENTITY_ANNOTATION,
  PAUSED_ANNOTATION,
  RESET_ANNOTATION,
  SOFT_REBOOT_ANNOTATION,
} from '#api/instance-request';
import { ALL_CLAIM_WORDS } from '#api/kinds';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import {
  COMPUTE_CONTAINER,
  CREATED_BY_LABEL,
  DEFAULT_GRACE_SECONDS,
  DOMAIN_ANNOTATION,
  DOMAIN_LABEL,
  EVICT_ONLY_ANNOTATION,
  LAUNCHER_ANNOTATION,
  LAUNCHER_LABEL,
  LAUNCHER_LABEL_VALUE,
  NAME_LABEL,
  NODE_ANNOTATION,
  NODE_NAME_LABEL,
  SIZE_ANNOTATION,
  VM_LABEL,
} from '#api/launcher';
import { formatLauncherSize } from '#api/launcher-size';
import { definedFields } from '#platform/base/defined-fields';
import { seededRandom } from '#platform/base/random';
import type { NewObject } from '#platform/kube/client';
import type { Pod, PodSpec } from '#platform/kube/kinds/pod';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { launcherResources, launcherSize } from './resources.ts';
import type { LauncherSettings } from './settings.ts';
import { imagePullSecrets, launcherVolumes } from './volumes.ts';

/** Time for the launcher to clean up after the grace period of the guest. */
const LAUNCHER_GRACE_SECONDS = 15;
const MAX_LABEL_LENGTH = 63;
const MAX_NAME_LENGTH = 253;

/** Annotations for the node agent or the instance alone, which the pod does not inherit. */
const NOT_INHERITED = new Set([
  GENERATION_ANNOTATION,
  IDENTITY_ANNOTATION,
  PAUSED_ANNOTATION,
  RESET_ANNOTATION,
  SOFT_REBOOT_ANNOTATION,
  NODE_ANNOTATION,
  LAUNCHER_ANNOTATION,
  'kubectl.kubernetes.io/last-applied-configuration',
]);

/** Returns the name of a run's first pod: the one fixed by the annotation, or the one derived from the UID. */
export function firstLauncherName(vmi: Vmi): string {
  return vmi.metadata.annotations?.[LAUNCHER_ANNOTATION] ?? launcherName(vmi, vmi.metadata.uid);
}

/** Returns the name of the VM that an instance runs, which can differ from the instance's own name. */
export function vmNameOf({ metadata }: Vmi): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === 'VirtualMachine' ? owner.name : metadata.name;
}

/**
 * Returns the pod name for the run or migration with this UID, from which it is derived so that a second create
 * conflicts with the first. `attempt` counts names already taken by unrelated pods.
 */
export function launcherName(vmi: Vmi, uid: string, attempt = 0): string {
  const suffix = seededRandom(`${uid}/${attempt}`).suffix();
  const stem = `virt-launcher-${vmNameOf(vmi)}`.slice(0, MAX_NAME_LENGTH - suffix.length - 1);
  return `${stem.replace(/[-.]+$/, '')}-${suffix}`;
}

export type NewPod = NewObject<Pod> & { readonly spec: PodSpec };

/** Builds the pod that reserves the resources of a VM. The scheduler chooses its node. */
export function launcherPod(
  vmi: Vmi,
  settings: LauncherSettings,
  claim: (name: string) => PersistentVolumeClaim | undefined,
): NewPod {
  const { metadata, spec } = vmi;
  const { volumes, mounts, devices } = launcherVolumes(spec, claim);
  const { affinity, topologySpreadConstraints, priorityClassName, schedulerName, subdomain } = spec;
  const tolerations = [...(spec.tolerations ?? []), ...settings.tolerations];
  const pullSecrets = imagePullSecrets(spec, metadata.annotations);
  const hostname = spec.hostname ?? (subdomain === undefined ? undefined : hostnameOf(vmi));
  return {
    metadata: {
      name: launcherName(vmi, metadata.uid),
      namespace: metadata.namespace,
      labels: labelsOf(vmi),
      annotations: annotationsOf(vmi),
      ownerReferences: [
        {
          apiVersion: apiVersionOf(VMIS),
          kind: VMIS.kind,
          name: metadata.name,
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: graceSecondsOf(vmi) + LAUNCHER_GRACE_SECONDS,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      containers: [
        {
          name: COMPUTE_CONTAINER,
          image: settings.image,
          resources: launcherResources(spec, settings),
          ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
          ...(devices.length === 0 ? {} : { volumeDevices: devices }),
        },
      ],
      nodeSelector: { ...spec.nodeSelector, ...settings.nodeSelector },
      ...(tolerations.length === 0 ? {} : { tolerations }),
      ...(volumes.length === 0 ? {} : { volumes }),
      ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
      ...definedFields({ affinity, topologySpreadConstraints, priorityClassName, schedulerName, hostname, subdomain }),
    },
  };
}

/** Returns the grace period of the guest in seconds. */
export function graceSecondsOf({ spec }: Vmi): number {
  return spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
}

/** Labels of the template take precedence, except over those that other components rely on. */
function labelsOf(vmi: Vmi): Record<string, string> {
  const name = labelValue(vmNameOf(vmi));
  const { [NODE_NAME_LABEL]: _node, ...carried } = ownLabels(vmi);
  return {
    app: LAUNCHER_LABEL_VALUE,
    [DOMAIN_LABEL]: name,
    [NAME_LABEL]: name,
    [VM_LABEL]: name,
    ...carried,
    [LAUNCHER_LABEL]: LAUNCHER_LABEL_VALUE,
    [CREATED_BY_LABEL]: vmi.metadata.uid,
  };
}

/** Returns the labels of an instance. The Services of a group select its VMs by <group>/vm, and no VMs of others. */
function ownLabels({ metadata }: Vmi): Readonly<Record<string, string>> {
  const { labels = {} } = metadata;
  if (!VM_LABELS.some((name) => Object.hasOwn(labels, name))) return labels;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const group = owner?.apiVersion.split('/', 1)[0] ?? '';
  const isStrange = (name: string) => VM_LABELS.includes(name) && name !== `${group}/vm`;
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !isStrange(name)));
}

const VM_LABELS = ALL_CLAIM_WORDS.map(({ machine }) => machine);

function annotationsOf(vmi: Vmi): Record<string, string> {
  const carried = Object.entries(vmi.metadata.annotations ?? {}).filter(([name]) => !NOT_INHERITED.has(name));
  return {
    [DOMAIN_ANNOTATION]: vmNameOf(vmi),
    [EVICT_ONLY_ANNOTATION]: 'true',
    ...Object.fromEntries(carried),
    [SIZE_ANNOTATION]: formatLauncherSize(launcherSize(vmi.spec)),
  };
}

const labelValue = (name: string) => name.slice(0, MAX_LABEL_LENGTH).replace(/[-_.]+$/, '');

/** Returns the default hostname: the first label of the VM name. */
const hostnameOf = (vmi: Vmi) => labelValue(vmNameOf(vmi).split('.')[0] ?? '');
