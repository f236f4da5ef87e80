import type { Fleet } from '../../node/simulated/fleet.ts';

export interface Found {
  readonly nodes: readonly string[];
  readonly paused: boolean;
}

/** Looks at the machines themselves, below all objects: what runs, and whether anything ever ran twice. */
export class RunningMachines {
  #fleet: Fleet | undefined;
  /** What was seen twice at the same time, and where. */
  readonly doubled: string[] = [];

  /** The machines of a fleet that ended have ended with it. */
  watch(fleet: Fleet, nodes: readonly string[]): void {
    this.#fleet = fleet;
    for (const node of nodes) fleet.simulation.driver(node).onChange(() => void this.#check(fleet));
  }

  /** By `namespace/name` of the machine: where it runs. */
  async running(): Promise<ReadonlyMap<string, Found>> {
    return this.#fleet === undefined ? new Map() : await runningIn(this.#fleet);
  }

  async #check(fleet: Fleet): Promise<void> {
    if (fleet !== this.#fleet) return;
    for (const [machine, { nodes }] of await runningIn(fleet)) {
      if (nodes.length > 1) this.doubled.push(`${machine} on ${nodes.join(' and ')}`);
    }
  }
}

async function runningIn(fleet: Fleet): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  for (const node of fleet.nodes) {
    for (const { spec, state } of await fleet.simulation.driver(node).list()) {
      if (state === 'incoming' || state === 'ended') continue;
      const machine = `${spec.namespace}/${spec.name}`;
      found.set(machine, { nodes: [...(found.get(machine)?.nodes ?? []), node], paused: state === 'paused' });
    }
  }
  return found;
}
