import type { AdmissionAttributes, AdmissionPlugin } from '../../admission-plugin.ts';
import { ApiError } from '../../api-error.ts';
import { textOf } from '../../object-text.ts';
import type { RequestContext } from '../../request-context.ts';
import { keyOf, type Resource } from '../../resource.ts';
import { admissionDenial } from '../denial.ts';
import type { Amounts } from '../pod-resources.ts';
import type { ObjectSource, StoredObjects } from '../stored-objects.ts';
import { chargeProblem, concerns, growthOf, type Quota, withCharge } from './charge.ts';
import { usageOf } from './usage.ts';

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
export function resourceQuota(quotas: StoredObjects, source: ObjectSource): AdmissionPlugin {
  const open = new WeakMap<RequestContext, Charge[]>();
  const { store, parsed } = source;
  const resource = source.registry.find('', 'v1', 'resourcequotas') as Resource;

  /** Writes a charge or refunds it. Throws if the quota does not allow it. */
  async function book(
    { namespace, name, growth }: Charge,
    sign: 1 | -1,
    check: (quota: Quota) => void,
  ): Promise<boolean> {
    const key = keyOf(resource, namespace, name);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const entry = store.latest(key);
      if (entry === undefined) return false;
      const quota: Quota = parsed.get(entry);
      check(quota);
      const next = withCharge(quota, growth, sign);
      if (next === undefined) return false;
      const text = (revision: number) => {
        next.metadata.resourceVersion = String(revision);
        return textOf(next);
      };
      if ((await store.put(key, text, { expected: entry.revision })).done) return true;
    }
    throw new ApiError(409, 'Conflict', `quota ${name} changes too often to be charged`);
  }

  async function charge(write: AdmissionAttributes): Promise<void> {
    const { namespace, object, old, call } = write;
    if (object === undefined) return;
    const usage = usageOf(write.resource, object);
    const concerned = [...quotas.in(namespace).values()].filter((quota) => concerns(quota, usage, object));
    if (concerned.length === 0) return;
    const growth = growthOf(write.resource, object, old);
    const check = (quota: Quota) => {
      const problem = chargeProblem(quota, growth, usage, object);
      if (problem !== undefined) throw admissionDenial(write, problem);
    };
    for (const quota of concerned) check(quota);
    if (call.dryRun || growth.size === 0) return;
    const taken: Charge[] = [];
    open.set(call, taken);
    for (const { metadata } of concerned) {
      const next = { namespace, name: metadata.name ?? '', growth };
      if (await book(next, 1, check)) taken.push(next);
    }
  }

  return {
    name: 'ResourceQuota',
    validate: (write) => (quotas.size === 0 || !isCharged(write) ? undefined : charge(write)),
    settle({ call }, stored) {
      const taken = open.get(call);
      if (taken === undefined) return;
      open.delete(call);
      if (stored) return;
      // Nothing waits for the refund: until it is written, the quota only appears a little fuller than it is.
      for (const each of taken) book(each, -1, () => {}).catch(() => undefined);
    },
  };
}

/** Reports whether a write is charged. Objects count at creation, and some may grow later. */
function isCharged({ operation, subresource, resource }: AdmissionAttributes): boolean {
  if (!resource.namespaced) return false;
  if (operation === 'CREATE') return subresource === '';
  if (operation !== 'UPDATE' || resource.group !== '') return false;
  if (resource.plural === 'pods') return subresource === 'resize';
  return subresource === '' && (resource.plural === 'persistentvolumeclaims' || resource.plural === 'services');
}
