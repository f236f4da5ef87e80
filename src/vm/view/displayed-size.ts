import type { Vmi } from '#api/kubevirt/resources';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Dialect } from '#vm/engine/dialect';
import type { VmObject } from './vm-object.ts';

/** Size of a VM as text. Empty fields are unknown. */
export interface DisplayedSize {
  readonly cpus: string;
  readonly memory: string;
}

type SizedDialect = Pick<Dialect, 'size' | 'desiredVm'>;
type Domain = Vmi['spec']['domain'];

/** Returns the size of the running guest (`live`), or else that of the next start. */
export function displayedSize(vm: VmObject, live: Vmi | undefined, dialect: SizedDialect): DisplayedSize {
  if (live === undefined) return sizeBySpec(vm as unknown as ObjectOf<Kind>, dialect);
  const { currentCPUTopology, memory } = live.status ?? {};
  return {
    cpus: product(currentCPUTopology) || product(live.spec.domain.cpu),
    memory: text(memory?.guestCurrent) || guestMemory(live.spec.domain),
  };
}

/** Returns the size by the spec. Only the dialect knows its fields; without a `size`, the desired instance shows it. */
function sizeBySpec(vm: ObjectOf<Kind>, dialect: SizedDialect): DisplayedSize {
  try {
    const size = dialect.size?.(vm);
    if (size !== undefined) return { cpus: text(size.cpus), memory: size.memory === '0' ? '' : text(size.memory) };
    const { domain } = dialect.desiredVm(vm).spec;
    return { cpus: product(domain.cpu), memory: guestMemory(domain) };
  } catch {
    // The VM was stored without fields that a dialect relies on. One such VM must not hide all others of a list.
    return { cpus: '', memory: '' };
  }
}

function product(cpu: Domain['cpu']): string {
  return cpu === undefined ? '' : String((cpu.cores ?? 1) * (cpu.sockets ?? 1) * (cpu.threads ?? 1));
}

function guestMemory(domain: Domain | undefined): string {
  return text(domain?.memory?.guest ?? domain?.resources?.requests?.['memory']);
}

export const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
