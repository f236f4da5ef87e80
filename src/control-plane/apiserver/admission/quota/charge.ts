import { ownValue, setOwn } from '#platform/base/own-value';
import { add, compare, formatQuantity, isZero, type Quantity, quantityOf, sub } from '#platform/base/quantity';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Pod, Quantities } from '../../kinds/pod/pod-spec.ts';
import type { Resource } from '../../resource.ts';
import { type Amounts, amountsOf } from '../pod-resources.ts';
import { containersOf } from '../pod-write.ts';
import { inScope, type QuotaScopes } from './scopes.ts';
import { computeUsage, usageOf } from './usage.ts';

export interface Quota extends KubeObject {
  spec?: QuotaScopes & { hard?: Quantities };
  status?: { hard?: Quantities; used?: Quantities };
}

/** Returns the increase of usage by a write. Only increases are charged, since decreases are recounted in any case. */
export function growthOf(resource: Resource, object: KubeObject, old: KubeObject | undefined): Amounts {
  const growth: Amounts = new Map();
  const before = old === undefined ? new Map<string, Quantity>() : usageOf(resource, old);
  for (const [name, amount] of usageOf(resource, object)) {
    const more = sub(amount, before.get(name) ?? quantityOf(0));
    if (more.nano > 0n) growth.set(name, more);
  }
  return growth;
}

const EXPLICIT = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];

/** Reports whether a quota limits anything that an object uses. */
export function concerns(quota: Quota, usage: Amounts, object: KubeObject): boolean {
  const hard = quota.status?.hard ?? {};
  const bounds = Object.keys(hard).some(
    (name) => usage.has(name) || (object.kind === 'Pod' && EXPLICIT.includes(name)),
  );
  return bounds && inScope(quota.spec ?? {}, object);
}

/** Returns why a write cannot be charged to a quota, undefined if it can. */
export function chargeProblem(quota: Quota, growth: Amounts, usage: Amounts, object: KubeObject): string | undefined {
  const name = quota.metadata.name ?? '';
  const { hard = {}, used = {} } = quota.status ?? {};
  const missing = object.kind === 'Pod' ? unspecifiedResources(object as Pod, hard) : undefined;
  if (missing !== undefined) return `failed quota: ${name}: must specify ${missing}`;
  const bounded = Object.keys(hard).filter((each) => usage.has(each));
  const unknown = bounded.filter((each) => used[each] === undefined);
  if (unknown.length > 0) return `status unknown for quota: ${name}, resources: ${bounded.sort().join(',')}`;
  const [limits, present] = [amountsOf(hard), amountsOf(used)];
  const exceeded = [...growth.keys()].filter((each) => {
    const [limit, before] = [limits.get(each), present.get(each)];
    return limit !== undefined && compare(add(before ?? quantityOf(0), growth.get(each) as Quantity), limit) > 0;
  });
  if (exceeded.length === 0) return undefined;
  const shown = (amounts: Amounts) =>
    exceeded
      .sort()
      .map((each) => `${each}=${formatQuantity(amounts.get(each) ?? quantityOf(0))}`)
      .join(',');
  return `exceeded quota: ${name}, requested: ${shown(growth)}, used: ${shown(present)}, limited: ${shown(limits)}`;
}

/** Returns the containers without a cpu or memory value that a quota limits, unless the pod sets it at pod level. */
function unspecifiedResources(pod: Pod, hard: Quantities): string | undefined {
  const { resources } = pod.spec;
  const byPod = computeUsage(amountsOf(resources?.requests), amountsOf(resources?.limits));
  const problems = EXPLICIT.filter((name) => hard[name] !== undefined && !byPod.has(name)).flatMap((name) => {
    const silent = [...containersOf(pod)].filter(
      ([, container]) =>
        !computeUsage(amountsOf(container.resources?.requests), amountsOf(container.resources?.limits)).has(name),
    );
    const names = silent.map(([, container]) => container.name ?? '').sort();
    return names.length === 0 ? [] : [`${name} for: ${names.join(',')}`];
  });
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** Returns the quota after a charge, or with a negative sign after a refund. Undefined if nothing changes. */
export function withCharge(quota: Quota, growth: Amounts, sign: 1 | -1): Quota | undefined {
  const { hard = {}, used = {} } = quota.status ?? {};
  const next = { ...used };
  let changed = false;
  for (const [name, amount] of growth) {
    if (ownValue(hard, name) === undefined || isZero(amount)) continue;
    const before = amountsOf({ [name]: ownValue(used, name) ?? '0' }).get(name) as Quantity;
    const after = sign === 1 ? add(before, amount) : sub(before, amount);
    setOwn(next, name, formatQuantity(after.nano < 0n ? quantityOf(0) : after));
    changed = true;
  }
  return changed ? { ...quota, metadata: { ...quota.metadata }, status: { ...quota.status, used: next } } : undefined;
}
