import { CLAIM_WORDS, claimedDisks, claimIn } from '../../api/novacron/claims.ts';
import { type VirtualMachine, virtualMachine } from '../../api/novacron/virtual-machine.ts';
import { parseQuantity, tryParseQuantity, value } from '../../base/quantity.ts';
import { resourceOfKind } from '../../kube/kinds/machines.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import type { Usage } from '../../machine/metrics.ts';
import { keyIn } from '../../runtime/key.ts';
import type { PartsGroup } from './group.ts';

type Machine = VirtualMachine & KubeObject;

const instanceOf = (machine: string) => `${machine}.novacron`;

/** Machines of novacron.io: a disk with their image, and their volumes. */
export const NOVACRON_PARTS: PartsGroup<Machine> = {
  machines: resourceOfKind(virtualMachine),
  words: CLAIM_WORDS,
  instanceOf,
  claimStart: instanceOf,
  disksOf: (machine) => claimedDisks(machine.metadata.name, machine.spec),
  wayOut: (claim) => `delete ${claim}, or give the volume or the machine another name`,
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
  toldOf,
};

function toldOf({ status }: Machine): Usage | undefined {
  const [cpu, memory] = [status?.resources?.cpu?.used, status?.resources?.memory?.used].map((used) =>
    used === undefined ? undefined : tryParseQuantity(used),
  );
  if (cpu === undefined || memory === undefined) return undefined;
  return { cpuCores: Number(cpu.nano) / 1e9, memoryBytes: value(memory) };
}
