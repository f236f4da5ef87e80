import type { Clock } from '#platform/base/clock';
import type { ResourceQuota } from '#platform/kube/kinds/resource-quota';
import type { Amounts } from '#platform/kube/resources/amounts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission-plugin.ts';
import { ApiError } from '../../api-error.ts';
import type { ObjectSource } from '../../object-source.ts';
import { textOf } from '../../object-text.ts';
import type { RequestContext } from '../../request-context.ts';
import { keyOf, type Resource } from '../../resource.ts';
import { admissionDenial } from '../denial.ts';
import type { StoredObjects } from '../stored-objects.ts';
import { appliesTo, chargedWrite, excessProblem, growthOf, quotaProblem, withCharge } from './charge.ts';

interface Charge {
  readonly namespace: string;
  readonly name: string;
  readonly growth: Amounts;
}

/** Maximum number of attempts to charge a quota after conflicts. */
const ATTEMPTS = 100;

/**
 * Enforces the quotas of namespaces. Usage is written before the object, so that concurrent writers never exceed a
 * quota, and it is refunded if the write fails.
 */
export function resourceQuota(quotas: StoredObjects, source: ObjectSource, clock: Clock): AdmissionPlugin {
  const charges = new QuotaCharges(quotas, source, clock);
  return {
    name: 'ResourceQuota',
    validate: (write) => (quotas.size === 0 || !isCharged(write) ? undefined : charges.charge(write)),
    settle: ({ call }, stored) => charges.settle(call, stored),
  };
}

/** Charges of writes in progress. */
class QuotaCharges {
  readonly #open = new WeakMap<RequestContext, Charge[]>();
  readonly #quotas: StoredObjects;
  readonly #source: ObjectSource;
  readonly #resource: Resource;
  readonly #clock: Clock;

  constructor(quotas: StoredObjects, source: ObjectSource, clock: Clock) {
    this.#quotas = quotas;
    this.#source = source;
    this.#resource = source.registry.find('', 'v1', 'resourcequotas') as Resource;
    this.#clock = clock;
  }

  async charge(write: AdmissionAttributes): Promise<void> {
    const { namespace, object, old, call } = write;
    if (object === undefined) return;
    const charged = chargedWrite(write.resource, object, old, this.#clock.now());
    const concerned = [...this.#quotas.in(namespace).values()].filter((quota) => appliesTo(quota, charged));
    if (concerned.length === 0) return;
    const check = (quota: ResourceQuota) => {
      // A status reports what the storage has already allocated, so there is nothing left to reject.
      const excess = write.subresource === 'status' ? undefined : excessProblem(quota, growthOf(quota, charged));
      const problem = quotaProblem(quota, charged) ?? excess;
      if (problem !== undefined) throw admissionDenial(write, problem);
    };
    for (const quota of concerned) check(quota);
    if (call.dryRun) return;
    const taken: Charge[] = [];
    this.#open.set(call, taken);
    for (const quota of concerned) {
      const growth = growthOf(quota, charged);
      if (growth.size === 0) continue;
      const next = { namespace, name: quota.metadata.name ?? '', growth };
      if (await this.#book(next, 1, check)) taken.push(next);
    }
  }

  /** Refunds what was charged for a write that was not stored. */
  settle(call: RequestContext, stored: boolean): void {
    const taken = this.#open.get(call);
    if (taken === undefined) return;
    this.#open.delete(call);
    if (stored) return;
    // Nothing waits for the refund: until it is written, the quota only appears a little fuller than it is.
    for (const each of taken) this.#book(each, -1, () => {}).catch(() => undefined);
  }

  /** Writes a charge or refunds it. Throws if the quota does not allow it. */
  async #book(
    { namespace, name, growth }: Charge,
    sign: 1 | -1,
    check: (quota: ResourceQuota) => void,
  ): Promise<boolean> {
    const { store, parsed } = this.#source;
    const key = keyOf(this.#resource, namespace, name);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const entry = store.latest(key);
      if (entry === undefined) return false;
      const quota: ResourceQuota = parsed.get(entry);
      check(quota);
      const next = withCharge(quota, growth, sign);
      if (next === undefined) return false;
      const text = (revision: number) => {
        next.metadata.resourceVersion = String(revision);
        return textOf(next);
      };
      if ((await store.put(key, text, { expected: entry.revision })).done) return true;
    }
    throw new ApiError(409, 'Conflict', `quota ${name} changes too often to be updated`);
  }
}

/** Reports whether a write is charged. Objects count at creation, and some may grow later. */
function isCharged({ operation, subresource, resource }: AdmissionAttributes): boolean {
  if (!resource.namespaced) return false;
  if (operation === 'CREATE') return subresource === '';
  if (operation !== 'UPDATE' || resource.group !== '') return false;
  if (resource.plural === 'pods') return subresource === 'resize';
  if (resource.plural === 'persistentvolumeclaims') return subresource === '' || subresource === 'status';
  return subresource === '' && resource.plural === 'services';
}
