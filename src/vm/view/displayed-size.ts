import type { Vmi } from '#api/kubevirt/resources';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Dialect } from '#vm/engine/dialect';
import type { VmObject } from './vm-object.ts';

/** Size of a VM as text. Empty fields are unknown. */
export interface DisplayedSize {
  readonly cpus: string;
  readonly memory: string;
}

type SizedDialect = Pick<Dialect, 'sizedByNodes' | 'size'>;

/** Returns the size of the running guest (`live`), or else that of the next start. */
export function displayedSize(vm: VmObject, live: Vmi | undefined, dialect: SizedDialect): DisplayedSize {
  if (live !== undefined) {
    const { currentCPUTopology, memory } = live.status ?? {};
    return {
      cpus: product(currentCPUTopology) || product(live.spec.domain.cpu),
      memory: text(memory?.guestCurrent) || guestMemory(live.spec.domain),
    };
  }
  const { spec = {} } = vm;
  if (dialect.sizedByNodes === true) return sizeByNodes(dialect, vm);
  const template = (spec['template'] as Template | undefined)?.spec;
  return {
    cpus: text(spec['cpus']) || text(template?.resources?.cpu) || product(template?.domain?.cpu),
    memory: text(spec['memory']) || text(template?.resources?.memory) || guestMemory(template?.domain),
  };
}

/** Fields that VMs of kubevirt.io and novacron.io have for the size. */
interface Template {
  readonly spec?: {
    readonly domain?: Domain;
    readonly resources?: { readonly cpu?: number; readonly memory?: string | number };
  };
}

type Domain = Vmi['spec']['domain'];

/** Returns the size of a VM whose spec may have ratios. They refer to the default node. */
function sizeByNodes(dialect: SizedDialect, vm: VmObject): DisplayedSize {
  if (vm.spec?.['resources'] === undefined) return { cpus: '', memory: '' };
  const size = dialect.size?.(vm as unknown as ObjectOf<Kind>);
  return { cpus: text(size?.cpus), memory: text(size?.memory) };
}

function product(cpu: Domain['cpu']): string {
  return cpu === undefined ? '' : String((cpu.cores ?? 1) * (cpu.sockets ?? 1) * (cpu.threads ?? 1));
}

function guestMemory(domain: Domain | undefined): string {
  return text(domain?.memory?.guest ?? domain?.resources?.requests?.['memory']);
}

export const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
