import { FREEZE_ANNOTATION } from '#api/launcher';
import { virtualMachine } from '#api/simulation/virtual-machine';
import { forEachLimited } from '#fleet/library/for-each-limited';
import { SIMULATED_VMS } from '#fleet/library/simulated-vm';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { isNotFound } from '#platform/kube/kube-error';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import type { Command, NewVm, Use } from '../engine/command.ts';
import type { Migrator } from './migrator.ts';
import { PLAYED_LABEL, scenarioSelector } from './played-label.ts';

/** Provider of nodes. */
export interface NodeGroups {
  /** Sets the total number of nodes of a group. */
  grow(group: string, total: number): Promise<void>;
}

export interface CommandExecutorDeps {
  readonly client: Client;
  readonly namespace: string;
  readonly scenario: string;
  /** Owner of the VMs. Absent if everything ends together anyway. */
  readonly owner?: KubeOwnerReference;
  /** VMs that were created and not deleted. The executor keeps it up to date. */
  readonly vms: Set<string>;
  readonly groups: NodeGroups;
  readonly migrator: Migrator;
  /** Reports a failed command. Other commands are not affected. */
  readonly onFailure: (what: string, error: unknown) => void;
}

const AT_ONCE = 32;

/** Executes the commands of an engine on a cluster. */
export class CommandExecutor {
  readonly #parts: CommandExecutorDeps;

  constructor(parts: CommandExecutorDeps) {
    this.#parts = parts;
  }

  /** Executes commands on different objects concurrently. */
  async all(commands: readonly Command[]): Promise<void> {
    await forEachLimited(AT_ONCE, commands, async (command) => {
      try {
        await this.#one(command);
      } catch (error) {
        this.#parts.onFailure(formatCommand(command), error);
      }
    });
  }

  async #one(command: Command): Promise<void> {
    const { client, namespace, vms, groups, migrator } = this.#parts;
    switch (command.do) {
      case 'create':
        vms.add(command.newVm.name);
        await client.create(SIMULATED_VMS, this.#object(command.newVm) as never);
        return;
      case 'delete':
        vms.delete(command.vm);
        await client.delete(SIMULATED_VMS, command.vm, { namespace }).catch(unlessGone);
        return;
      case 'load': {
        const body = { spec: { utilization: useText(command.use) } };
        await client.patch(SIMULATED_VMS, command.vm, { type: 'merge', body }, { namespace }).catch(unlessGone);
        return;
      }
      case 'migrate':
        migrator.move(command.vm, command.target, 'scenario');
        return;
      case 'addNodes':
        await groups.grow(command.group, command.total);
        return;
      case 'removeNodes':
        for (const node of command.nodes) await client.delete(NODES, node).catch(unlessGone);
        return;
      case 'failNodes':
      case 'recoverNodes': {
        const body = { metadata: { annotations: { [FREEZE_ANNOTATION]: command.do === 'failNodes' ? 'true' : null } } };
        for (const node of command.nodes) await client.patch(NODES, node, { type: 'merge', body }).catch(unlessGone);
        return;
      }
      case 'pause':
    }
  }

  #object({ name, labels, resources, use, dirtyRateMbps }: NewVm): object {
    const { namespace, scenario, owner } = this.#parts;
    const { apiVersion, kind } = virtualMachine;
    return {
      apiVersion,
      kind,
      metadata: {
        name,
        namespace,
        labels: { ...labels, [PLAYED_LABEL]: scenarioSelector(scenario) },
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

/** Ignores that an object was deleted by somebody else or together with a failed node. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function formatCommand(command: Command): string {
  switch (command.do) {
    case 'create':
      return `create ${command.newVm.name}`;
    case 'delete':
    case 'load':
    case 'migrate':
      return `${command.do} ${command.vm}`;
    case 'addNodes':
      return `addNodes ${command.group}`;
    case 'pause':
      return 'pause';
    default:
      return `${command.do} ${command.nodes.join(' ')}`;
  }
}
