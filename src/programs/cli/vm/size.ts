import type { Vmi } from '#api/kubevirt/resources';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import { dialectOf } from '#vm/dialects/dialect-of';
import type { Dialect } from '#vm/engine/dialect';
import type { CliVm } from './vm-kinds.ts';

/** Size of a VM as text. Empty fields are unknown. */
export interface Size {
  readonly cpus: string;
  readonly memory: string;
}

/** Returns the size of the running guest (`live`), or else that of the next start. */
export function sizeOf(machine: CliVm, live: Vmi | undefined): Size {
  if (live !== undefined) {
    const { currentCPUTopology, memory } = live.status ?? {};
    return {
      cpus: product(currentCPUTopology) || product(live.spec.domain.cpu),
      memory: text(memory?.guestCurrent) || guestMemory(live.spec.domain),
    };
  }
  const { apiVersion, spec = {} } = machine;
  const dialect = dialectOf(apiVersion.split('/')[0] ?? '');
  if (dialect.sizedByNodes === true) return sizeByNodes(dialect, machine);
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
function sizeByNodes(dialect: Dialect, machine: CliVm): Size {
  if (machine.spec?.['resources'] === undefined) return { cpus: '', memory: '' };
  const size = dialect.size?.(machine as unknown as ObjectOf<Kind>);
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
