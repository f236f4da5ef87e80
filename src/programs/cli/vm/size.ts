import type { Vmi } from '#api/kubevirt/resources';
import { virtualMachine as simulated } from '#api/simulation/virtual-machine';
import { simulation } from '#vm/dialects/simulation';
import type { CliVm } from './vm-kinds.ts';

/** How large a machine is, as text; empty where it is not known. */
export interface Size {
  readonly cpus: string;
  readonly memory: string;
}

/** What the guest has where there is one (`live`), else what its next start will give it. */
export function sizeOf(machine: CliVm, live: Vmi | undefined): Size {
  if (live !== undefined) {
    const { currentCPUTopology, memory } = live.status ?? {};
    return {
      cpus: product(currentCPUTopology) || product(live.spec.domain.cpu),
      memory: text(memory?.guestCurrent) || guestMemory(live.spec.domain),
    };
  }
  const { apiVersion, spec = {} } = machine;
  if (apiVersion === simulated.apiVersion) return simulatedSize(machine);
  const template = (spec['template'] as Template | undefined)?.spec;
  return {
    cpus: text(spec['cpus']) || text(template?.resources?.cpu) || product(template?.domain?.cpu),
    memory: text(spec['memory']) || text(template?.resources?.memory) || guestMemory(template?.domain),
  };
}

/** What machines of kubevirt.io and of novacron.io have for it. */
interface Template {
  readonly spec?: {
    readonly domain?: Domain;
    readonly resources?: { readonly cpu?: number; readonly memory?: string | number };
  };
}

type Domain = Vmi['spec']['domain'];

/** In shares of a node it is that of the usual one. */
function simulatedSize(machine: CliVm): Size {
  if (machine.spec?.['resources'] === undefined) return { cpus: '', memory: '' };
  const size = simulation.size?.(machine as unknown as Parameters<NonNullable<typeof simulation.size>>[0]);
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
