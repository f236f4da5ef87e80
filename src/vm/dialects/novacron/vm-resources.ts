import { resourceTypeFor } from '#api/kubevirt/resources';
import { CLAIM_WORDS, claimedDisks, claimIn } from '#api/novacron/claims';
import { type VirtualMachine, virtualMachine } from '#api/novacron/virtual-machine';
import { parseQuantity, tryParseQuantity, value } from '#platform/base/quantity';
import type { KubeObject } from '#platform/kube/kube-object';
import { keyIn } from '#platform/runtime/key';
import type { VmResourceGroup } from '#vm/controllers/vm-resources/group';
import type { VmUsage } from '#vm/engine/metrics';

type Machine = VirtualMachine & KubeObject;

const instanceOf = (vm: string) => `${vm}.novacron`;

/** Resources of novacron.io VMs: a disk with their image, and their volumes. */
export const NOVACRON_RESOURCES: VmResourceGroup<Machine> = {
  vms: resourceTypeFor(virtualMachine),
  words: CLAIM_WORDS,
  instanceOf,
  claimStart: instanceOf,
  disksOf: (vm) => claimedDisks(vm.metadata.name, vm.spec),
  wayOut: (claim) => `delete ${claim}, or rename the volume or the VM`,
  bySource: {
    values({ metadata, spec }) {
      const source = claimIn(spec.template.spec.image?.source ?? '');
      return source === undefined ? [] : [keyIn(metadata.namespace, source.claim)];
    },
  },
  bySmallDisks: {
    values: ({ status }) => (status?.conditions?.some(({ type }) => type === 'DiskReady') === true ? ['small'] : []),
  },
  hasService: false,
  reads: [],
  watches: [],
  sizeOf: ({ spec: { template } }) => ({
    cpuCores: template.spec.resources.cpu,
    memoryBytes: value(parseQuantity(template.spec.resources.memory)),
  }),
  reportedUsage,
};

function reportedUsage({ status }: Machine): VmUsage | undefined {
  const [cpu, memory] = [status?.resources?.cpu?.used, status?.resources?.memory?.used].map((used) =>
    used === undefined ? undefined : tryParseQuantity(used),
  );
  if (cpu === undefined || memory === undefined) return undefined;
  return { cpuCores: Number(cpu.nano) / 1e9, memoryBytes: value(memory) };
}
