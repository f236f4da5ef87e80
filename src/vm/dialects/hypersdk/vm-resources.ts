import { CLAIM_WORDS } from '#api/hypersdk/claims';
import { HYPERSDK_VMS, type HypersdkVm, VM_TEMPLATES } from '#api/hypersdk/resources';
import { templateKey } from '#api/hypersdk/template-use';
import { parseQuantity, value } from '#platform/base/quantity';
import type { Index } from '#platform/runtime/cache';
import { type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { VmResourceGroup } from '#vm/controllers/vm-resources/group';
import type { VmUsage } from '#vm/engine/metrics';
import { disksOf } from './disks.ts';
import { portsOf } from './ports.ts';

/** Indexes VMs by their template. */
export const byTemplate: Index<HypersdkVm> = {
  values(vm) {
    const key = templateKey(vm);
    return key === undefined ? [] : [key];
  },
};

const templateWatch: WatchSource = watchSource(VM_TEMPLATES, (template, { cache }) =>
  [...cache(HYPERSDK_VMS).by(byTemplate, keyOf(template))].map(keyOf),
);

/** Resources of hypersdk.io VMs: their own disks, those of their template, and a Service each. */
export const HYPERSDK_RESOURCES: VmResourceGroup<HypersdkVm> = {
  vms: HYPERSDK_VMS,
  words: CLAIM_WORDS,
  instanceOf: (vm) => `${vm}.hypersdk`,
  claimStart: (vm) => vm,
  disksOf,
  wayOut: (claim) =>
    `rename the disk, or set its source.pvc to ${claim} to use that claim as the disk (any other source.pvc is copied)`,
  bySource: {
    values: ({ metadata, spec }) =>
      (spec.disks ?? []).flatMap(({ source }) =>
        source?.pvc === undefined ? [] : [keyIn(metadata.namespace, source.pvc)],
      ),
  },
  bySmallDisks: { values: ({ status }) => (status?.smallDisks === undefined ? [] : ['small']) },
  hasService: true,
  portsOf,
  reads: [VM_TEMPLATES],
  watches: [templateWatch],
  sizeOf: ({ spec: { cpus, memory } }) => ({ cpuCores: cpus, memoryBytes: value(parseQuantity(memory)) }),
  reportedUsage,
};

function reportedUsage({ spec, status }: HypersdkVm): VmUsage | undefined {
  const { cpu, memory } = status?.resources ?? {};
  if (cpu?.usage === undefined) return undefined;
  const share = Number.parseFloat(cpu.usage) / 100;
  return { cpuCores: share * spec.cpus, memoryBytes: value(parseQuantity(memory?.usage ?? '0')) };
}
