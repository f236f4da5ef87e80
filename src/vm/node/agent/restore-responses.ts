import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { isNotFound } from '#platform/kube/kube-error';
import {
  listingOf,
  NODE_RESTORE_ANNOTATION,
  RESTORE_LISTING_ANNOTATION,
  type RestoreListing,
  restoreOf,
} from '#platform/kube/node-restore';
import type { Informers } from '#platform/runtime/informers';
import { keyIn } from '#platform/runtime/key';
import { WorkQueue } from '#platform/runtime/work-queue';
import { isAlive } from '../machine-driver.ts';
import type { ManagedNode, ManagedNodes } from './managed-node.ts';
import type { RestoreGate } from './restore-gate.ts';

export interface RestoreResponsesDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly hosts: ManagedNodes;
  readonly gate: RestoreGate;
  /** Ends unknown machines of a node. */
  readonly sweep: (host: ManagedNode) => Promise<void>;
}

const CONCURRENCY = 16;
/** Maximum number of pending nodes to name. */
const NAMED = 20;

/** Reports for the nodes of a node agent after a restore: lists what each runs, and cleans up once all nodes have. */
export class RestoreResponses {
  readonly #parts: RestoreResponsesDeps;
  readonly #queue: WorkQueue;

  constructor(parts: RestoreResponsesDeps) {
    this.#parts = parts;
    const { clock, random, log } = parts;
    this.#queue = new WorkQueue({
      name: 'restore answers',
      clock,
      random: random.fork('restore answers'),
      concurrency: CONCURRENCY,
      backOff: { first: 20, max: 10_000 },
      work: async (node) => await this.#answer(node),
      onFailure: (node, error, retryInMs) =>
        log.warn({ node, err: error, retryInMs }, 'failed to report the machines of a node after a restore'),
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#queue.run(signal);
  }

  /** Handles a change of a node, or of what the node is allowed to do. */
  look(node: string): void {
    const known = this.#parts.informers.of(NODES).cache.get(node);
    if (known !== undefined && restoreOf(known) !== undefined) this.#queue.add(node);
  }

  /** Logs which nodes are still pending. */
  tell(): void {
    const { gate, log } = this.#parts;
    if (gate.isOpen) return;
    const nodes = gate.waiting;
    log.warn(
      { nodes: nodes.slice(0, NAMED), all: nodes.length },
      'restored from a backup: no VM is started or deleted until these nodes have reported their machines; delete the nodes that no longer exist',
    );
  }

  /** Finishes the restore after all nodes have reported. */
  opened(): void {
    const { informers, log } = this.#parts;
    log.info('restored from a backup: all nodes have reported their machines');
    for (const node of informers.of(NODES).cache.all()) this.look(node.metadata.name ?? '');
  }

  async #answer(name: string): Promise<undefined> {
    const { informers, hosts, gate, sweep } = this.#parts;
    const node = informers.of(NODES).cache.get(name);
    const restore = node === undefined ? undefined : restoreOf(node);
    const host = hosts.find(name);
    if (node === undefined || restore === undefined || host === undefined || host.frozen || host.gone !== undefined)
      return;
    if (listingOf(node)?.restore !== restore) {
      const machines = (await host.driver.list()).filter(isAlive).map(({ spec }) => keyIn(spec.namespace, spec.name));
      const listing: RestoreListing = { restore, machines };
      await this.#annotate(name, { [RESTORE_LISTING_ANNOTATION]: JSON.stringify(listing) });
      return;
    }
    if (!gate.isOpen) return;
    await sweep(host);
    await this.#annotate(name, { [NODE_RESTORE_ANNOTATION]: null, [RESTORE_LISTING_ANNOTATION]: null });
  }

  async #annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const body = { metadata: { annotations } };
    await this.#parts.client.patch(NODES, name, { type: 'merge', body }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
