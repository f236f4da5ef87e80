import { NOVACRON_VMS, type NovacronVm, type Pool } from '#api/novacron/resources';
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import type { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import type { PoolAction } from './plan-pool.ts';
import type { PoolFailure } from './status.ts';
import { type TemplateRevision, vmFromTemplate } from './vm-from-template.ts';

/** Most names in the message of an Event. */
const MAX_NAMED = 5;

export interface PoolExecutorDeps {
  readonly expectations: Expectations;
  readonly defaultImage: string | undefined;
}

/** Carries out the plan for one pool. */
export class PoolExecutor {
  readonly #deps: PoolExecutorDeps;
  readonly #pool: Pool;
  readonly #context: Context;

  constructor(deps: PoolExecutorDeps, pool: Pool, context: Context) {
    this.#deps = deps;
    this.#pool = pool;
    this.#context = context;
  }

  /** Executes one action. Returns why a VM could not be created or deleted, if that is so. */
  async execute(action: PoolAction): Promise<PoolFailure | undefined> {
    switch (action.do) {
      case 'create':
        return await this.#create(action.revision, action.count);
      case 'delete':
        return await this.#delete(action.vms);
      case 'rescale':
        this.#event('Normal', 'SuccessfulRescale', `New size: ${action.replicas}; reason: ${action.reason}`);
        return undefined;
    }
  }

  /** Batches double, so that creations that fail are not tried hundreds of times. */
  async #create(revision: TemplateRevision, count: number): Promise<PoolFailure | undefined> {
    for (let made = 0, batch = 1; made < count; batch *= 2) {
      const size = Math.min(batch, count - made);
      const results = await Promise.allSettled(Array.from({ length: size }, () => this.#createVm(revision)));
      const created = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      for (const vm of created) this.#deps.expectations.wrote(keyOf(this.#pool), vm);
      if (created.length > 0) this.#event('Normal', 'SuccessfulCreate', `Created ${formatVms(created)}`);
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) return this.#failureOf(failed.reason as Error);
      made += size;
    }
    return undefined;
  }

  async #createVm(revision: TemplateRevision): Promise<NovacronVm> {
    const { client, random } = this.#context;
    for (;;) {
      const name = `${this.#pool.metadata.name}-${random.suffix(5)}`;
      try {
        return await client.create(NOVACRON_VMS, vmFromTemplate(this.#pool, revision, name, this.#deps.defaultImage));
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
  }

  #failureOf(error: Error): PoolFailure | undefined {
    if (isNamespaceTerminating(error)) return undefined;
    this.#event('Warning', 'FailedCreate', `Error creating: ${error.message}`);
    return { reason: 'FailedCreate', message: error.message };
  }

  async #delete(vms: readonly NovacronVm[]): Promise<PoolFailure | undefined> {
    const results = await Promise.allSettled(vms.map((vm) => this.#deleteVm(vm)));
    const deleted = vms.filter((_vm, i) => results[i]?.status === 'fulfilled');
    if (deleted.length > 0) this.#event('Normal', 'SuccessfulDelete', `Deleted ${formatVms(deleted)}`);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed === undefined) return undefined;
    const { message } = failed.reason as Error;
    this.#event('Warning', 'FailedDelete', `Error deleting: ${message}`);
    return { reason: 'FailedDelete', message };
  }

  async #deleteVm(vm: NovacronVm): Promise<void> {
    const { name, namespace, uid } = vm.metadata;
    const owner = keyOf(this.#pool);
    try {
      const left = await this.#context.client.delete(NOVACRON_VMS, name, { namespace, preconditions: { uid } });
      if (left === undefined) this.#deps.expectations.removed(owner, vm);
      else this.#deps.expectations.wrote(owner, left);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#context.events.event(this.#pool, type, reason, message);
  }
}

function formatVms(vms: readonly NovacronVm[]): string {
  const names = vms.slice(0, MAX_NAMED).map(({ metadata }) => metadata.name);
  const rest = vms.length - names.length;
  return `${vms.length === 1 ? 'VM' : `${vms.length} VMs`}: ${names.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}
