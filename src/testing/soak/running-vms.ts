import { VMIS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import type { Machine, MachineDriver } from '#vm/node/machine-driver';
import type { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';

export interface FoundMachine {
  /** Uid of the run. */
  readonly id: string;
  readonly nodes: readonly string[];
  readonly paused: boolean;
  readonly size: { readonly sockets: number; readonly memoryBytes: number };
}

/** Observes the machines themselves, below all objects: which run, and whether any ever ran twice. */
export class RunningVms {
  readonly #admin: Client;
  readonly #known = new Set<string>();
  #fleet: SimulatedFleet | undefined;
  /** Machines that ran before their instance reported a node, so that another node could have started them too. */
  readonly early: string[] = [];
  /** Machines that ran twice at the same time, and their nodes. */
  readonly doubled: string[] = [];
  /** Machines that lost sockets while they ran. */
  readonly shrunk: string[] = [];
  /** Last observed sockets, by the uid of a run. */
  readonly #sockets = new Map<string, number>();

  constructor(admin: Client) {
    this.#admin = admin;
  }

  /** Observes a fleet. The machines of a fleet that ended have ended with it. */
  watch(fleet: SimulatedFleet, nodes: readonly string[]): void {
    this.#fleet = fleet;
    for (const node of nodes) {
      fleet.simulation.driver(node).onChange((id) => {
        void this.#check(fleet);
        void this.#checkClaim(fleet.simulation.driver(node), `${id} on ${node}`, id);
      });
    }
  }

  /** Returns the running machines by `namespace/name`, with their nodes. */
  async running(): Promise<ReadonlyMap<string, FoundMachine>> {
    return this.#fleet === undefined ? new Map() : await runningIn(this.#fleet);
  }

  async #checkClaim(driver: MachineDriver, run: string, id: string): Promise<void> {
    const machine = await driver.inspect(id);
    if (machine?.state !== 'running' || this.#known.has(run)) return;
    this.#known.add(run);
    const { name, namespace } = machine.spec;
    const instance = await this.#admin.get(VMIS, name, { namespace }).catch(() => undefined);
    if (instance?.metadata.uid !== id || (instance.status?.nodeName ?? '') !== '') return;
    this.early.push(`${namespace}/${name}, ${run}`);
  }

  async #check(fleet: SimulatedFleet): Promise<void> {
    if (fleet !== this.#fleet) return;
    // A paused machine may only have been prepared: it never ran, and will not before its instance says so.
    for (const [machine, { id, nodes, size }] of await runningIn(fleet, (state) => state !== 'paused')) {
      if (nodes.length > 1) this.doubled.push(`${machine} on ${nodes.join(' and ')}`);
      const before = this.#sockets.get(id) ?? 0;
      if (size.sockets < before) this.shrunk.push(`${machine} from ${before} to ${size.sockets} sockets`);
      this.#sockets.set(id, size.sockets);
    }
  }
}

async function runningIn(
  fleet: SimulatedFleet,
  counts: (state: Machine['state']) => boolean = () => true,
): Promise<Map<string, FoundMachine>> {
  const found = new Map<string, FoundMachine>();
  for (const node of fleet.nodes) {
    for (const { spec, state } of await fleet.simulation.driver(node).list()) {
      if (state === 'incoming' || state === 'ended' || !counts(state)) continue;
      const machine = `${spec.namespace}/${spec.name}`;
      const nodes = [...(found.get(machine)?.nodes ?? []), node];
      const size = { sockets: spec.cpu.sockets, memoryBytes: spec.memoryBytes };
      found.set(machine, { id: spec.id, nodes, paused: state === 'paused', size });
    }
  }
  return found;
}
