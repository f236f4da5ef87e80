import { LIVE_MIGRATION_ANNOTATION } from '#api/instance-request';
import { DOMAIN_LABEL, NAME_LABEL, VM_LABEL } from '#api/launcher';
import { claimIn, claimName, ROOT_DISK } from '#api/novacron/claims';
import { type VirtualMachine, virtualMachine } from '#api/novacron/virtual-machine';
import { MIGRATION_CONFIGURATION } from '#api/operation-request';
import type { CloneOptions, DesiredVm, Dialect, RecordedState } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { switchPower } from '../power.ts';
import { identityIn, parseRecordedState } from '../recorded-state.ts';
import { novacronDesiredSpecOf } from './desired-spec.ts';
import { instanceSpec } from './instance-spec.ts';
import { policyAnnotations } from './migration-policy.ts';
import { report } from './report.ts';

/** Dialect of NovaCron, whose VMs have a template with size, image, networks and volumes, and policies. */
export const novacron: Dialect<typeof virtualMachine> = {
  kind: virtualMachine,
  instanceSuffix: '.novacron',
  liveAnnotations: new Set([LIVE_MIGRATION_ANNOTATION, MIGRATION_CONFIGURATION]),
  dependencies: ['claims', 'usage'],
  desiredVm,
  recordedState,
  report,
  phase: ({ status }) => status?.phase ?? 'Pending',
  power: switchPower,
  size: ({ spec: { template } }) => ({
    cpus: template.spec.resources.cpu,
    memory: `${template.spec.resources.memory}`,
  }),
  resize: (_vm, { cpus, memory: bytes }) => ({
    spec: { template: { spec: { resources: { cpu: cpus, memory: bytes } } } },
  }),
  cloneVmSpec,
  claimOf: claimName,
};

function desiredVm(vm: VirtualMachine, dependencies: Partial<VmDependencies> = {}): DesiredVm {
  const { disks, blocked } = novacronDesiredSpecOf(vm, dependencies);
  const { labels = {}, annotations = {} } = vm.spec.template.metadata ?? {};
  return {
    runStrategy: vm.spec.running ? 'Always' : 'Halted',
    labels: withoutReservedLabels(labels),
    annotations: { ...annotations, ...policyAnnotations(vm.spec.migrationPolicy) },
    spec: instanceSpec(vm.spec, disks),
    ...(blocked === undefined ? {} : { blocked }),
  };
}

/**
 * Returns the spec of a clone, whose disks are populated by the creator of their claims. A claim as image is copied
 * only within a namespace; elsewhere the image becomes the clone's own claim.
 */
function cloneVmSpec({ metadata, spec }: VirtualMachine, { name, namespace, start }: CloneOptions): object {
  const { template } = spec;
  const { image } = template.spec;
  if (image === undefined || namespace === metadata.namespace || claimIn(image.source) === undefined)
    return { ...spec, running: start };
  const source = `pvc://${namespace}/${claimName(name, ROOT_DISK)}`;
  const inside = { ...template.spec, image: { ...image, source } };
  return { ...spec, running: start, template: { ...template, spec: inside } };
}

/** Drops labels by which other components select their VMs. Admission rejects them, but may be bypassed. */
function withoutReservedLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).filter(([name]) => name !== VM_LABEL && name !== DOMAIN_LABEL && name !== NAME_LABEL),
  );
}

function recordedState({ status }: VirtualMachine): RecordedState {
  const { observedGeneration, interfaces } = status ?? {};
  return {
    ...parseRecordedState(status),
    identity: identityIn(interfaces),
    ...(observedGeneration === undefined ? {} : { generation: observedGeneration }),
  };
}
