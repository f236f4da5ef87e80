import type { NodeSize } from '#api/launcher-load';
import { isRatio } from '#api/simulation/resources';
import type { VirtualMachine } from '#api/simulation/virtual-machine';
import { formatQuantity, milliQuantityOf, quantityOf, tryParseQuantity } from '#platform/base/quantity';

/** Size and usage of a simulated VM, whichever form its resources have. */
export interface SimulatedSize {
  /** Requests of its pod. */
  readonly cpu: string;
  readonly memory: string;
  /** Whole CPUs and bytes of the guest. */
  readonly cores: number;
  readonly guest: string;
  /** Usage as ratios of the reference node. */
  readonly cpuConsumption: string;
  readonly memoryConsumption: string;
  /** Usage as ratios of its own size. */
  readonly cpuUtilization: string;
  readonly memoryUtilization: string;
}

type Spec = Pick<VirtualMachine['spec'], 'resources' | 'utilization'>;

const NANO = 1_000_000_000n;
const MILLION = 1_000_000n;
/** Minimum memory of any VM. */
const MIN_MEMORY = 1_048_576n * NANO;

export function simulatedSizeOf({ resources, utilization }: Spec, node: NodeSize): SimulatedSize {
  const { cpu, memory } = resources;
  if (isRatio(memory)) {
    return {
      ...requestedSize(product(nano(cpu), nano(node.cpu)), product(nano(memory), nano(node.memory))),
      cpuConsumption: `${cpu}`,
      memoryConsumption: `${memory}`,
      // A ratio of a node is the usage of the VM, so utilization is full.
      cpuUtilization: '1',
      memoryUtilization: '1',
    };
  }
  const { cpu: cpuUse = '1', memory: memoryUse = '1' } = utilization ?? {};
  return {
    ...requestedSize(nano(cpu), nano(memory)),
    cpuConsumption: formatShare(nano(cpu) * nano(cpuUse), nano(node.cpu)),
    memoryConsumption: formatShare(nano(memory) * nano(memoryUse), nano(node.memory)),
    cpuUtilization: `${cpuUse}`,
    memoryUtilization: `${memoryUse}`,
  };
}

/** Returns the amount in billionths. An invalid one counts as zero and is reported in a condition. */
const nano = (amount: string | number) => tryParseQuantity(amount)?.nano ?? 0n;
const product = (a: bigint, b: bigint) => (a * b) / NANO;
const divideUp = (amount: bigint, step: bigint) => (amount + step - 1n) / step;

function requestedSize(cpu: bigint, memory: bigint): Pick<SimulatedSize, 'cpu' | 'memory' | 'cores' | 'guest'> {
  const held = memory > 0n && memory < MIN_MEMORY ? MIN_MEMORY : memory;
  const bytes = (amount: bigint) => formatQuantity(quantityOf(divideUp(amount, NANO), 'BinarySI'));
  return {
    cpu: formatQuantity(milliQuantityOf(divideUp(cpu, MILLION))),
    memory: bytes(held),
    cores: Math.max(1, Number(divideUp(cpu, NANO))),
    guest: bytes(held < MIN_MEMORY ? MIN_MEMORY : held),
  };
}

/** Formats a quotient of amounts in billionths as a decimal with nine places. */
function formatShare(amount: bigint, whole: bigint): string {
  const share = whole === 0n ? 0n : amount / whole;
  const fraction = (share % NANO).toString().padStart(9, '0').replace(/0+$/, '');
  return fraction === '' ? `${share / NANO}` : `${share / NANO}.${fraction}`;
}
