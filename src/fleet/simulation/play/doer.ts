import { FREEZE_ANNOTATION } from '#api/launcher';
import { virtualMachine } from '#api/simulation/virtual-machine';
import { atMost } from '#fleet/library/at-most';
import { SIMULATED_VMS } from '#fleet/library/simulated-vm';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { isNotFound } from '#platform/kube/kube-error';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import type { Deed, NewMachine, Use } from '../course/deed.ts';
import type { Mover } from './mover.ts';
import { PLAYED_LABEL, playedBy } from './played-label.ts';

/** Who has nodes to give. */
export interface NodeGroups {
  /** A group has so many nodes in all from now on. */
  grow(group: string, total: number): Promise<void>;
}

export interface DoerParts {
  readonly client: Client;
  readonly namespace: string;
  readonly scenario: string;
  /** Whose machines go with it; absent where everything ends together anyway. */
  readonly owner?: KubeOwnerReference;
  /** The machines that were made and not deleted, kept up to date here. */
  readonly machines: Set<string>;
  readonly groups: NodeGroups;
  readonly mover: Mover;
  /** Whatever could not be done; nothing else is given up because of it. */
  readonly onFailure: (what: string, error: unknown) => void;
}

const AT_ONCE = 32;

/** Does to a cluster what a course asks for. */
export class Doer {
  readonly #parts: DoerParts;

  constructor(parts: DoerParts) {
    this.#parts = parts;
  }

  /** Deeds on different things go side by side. */
  async all(deeds: readonly Deed[]): Promise<void> {
    await atMost(AT_ONCE, deeds, async (deed) => {
      try {
        await this.#one(deed);
      } catch (error) {
        this.#parts.onFailure(wordsOf(deed), error);
      }
    });
  }

  async #one(deed: Deed): Promise<void> {
    const { client, namespace, machines, groups, mover } = this.#parts;
    switch (deed.do) {
      case 'create':
        machines.add(deed.machine.name);
        await client.create(SIMULATED_VMS, this.#object(deed.machine) as never);
        return;
      case 'delete':
        machines.delete(deed.vm);
        await client.delete(SIMULATED_VMS, deed.vm, { namespace }).catch(unlessGone);
        return;
      case 'load': {
        const body = { spec: { utilization: useText(deed.use) } };
        await client.patch(SIMULATED_VMS, deed.vm, { type: 'merge', body }, { namespace }).catch(unlessGone);
        return;
      }
      case 'migrate':
        mover.move(deed.vm, deed.target, 'scenario');
        return;
      case 'addNodes':
        await groups.grow(deed.group, deed.total);
        return;
      case 'removeNodes':
        for (const node of deed.nodes) await client.delete(NODES, node).catch(unlessGone);
        return;
      case 'failNodes':
      case 'recoverNodes': {
        const body = { metadata: { annotations: { [FREEZE_ANNOTATION]: deed.do === 'failNodes' ? 'true' : null } } };
        for (const node of deed.nodes) await client.patch(NODES, node, { type: 'merge', body }).catch(unlessGone);
        return;
      }
      case 'pause':
    }
  }

  #object({ name, labels, resources, use, dirtyRateMbps }: NewMachine): object {
    const { namespace, scenario, owner } = this.#parts;
    const { apiVersion, kind } = virtualMachine;
    return {
      apiVersion,
      kind,
      metadata: {
        name,
        namespace,
        labels: { ...labels, [PLAYED_LABEL]: playedBy(scenario) },
        ...(owner === undefined ? {} : { ownerReferences: [owner] }),
      },
      spec: {
        resources,
        ...(use === undefined ? {} : { utilization: useText(use) }),
        ...(dirtyRateMbps === undefined ? {} : { migration: { dirtyRateMbps } }),
      },
    };
  }
}

const useText = ({ cpu, memory }: Use) => ({ cpu: `${cpu}`, memory: `${memory}` });

/** Somebody else was faster, or a node that failed took it along. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function wordsOf(deed: Deed): string {
  switch (deed.do) {
    case 'create':
      return `create ${deed.machine.name}`;
    case 'delete':
    case 'load':
    case 'migrate':
      return `${deed.do} ${deed.vm}`;
    case 'addNodes':
      return `addNodes ${deed.group}`;
    case 'pause':
      return 'pause';
    default:
      return `${deed.do} ${deed.nodes.join(' ')}`;
  }
}
