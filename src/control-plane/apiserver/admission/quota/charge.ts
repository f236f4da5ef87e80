import { ownValue, setOwn } from '#platform/base/own-value';
import {
  add,
  compare,
  formatQuantity,
  isZero,
  parseQuantity,
  type Quantity,
  quantityOf,
  sub,
} from '#platform/base/quantity';
import type { Pod, ResourceList } from '#platform/kube/kinds/pod';
import type { ResourceQuota } from '#platform/kube/kinds/resource-quota';
import type { KubeObject } from '#platform/kube/kube-object';
import { type CountedResource, limitsOn } from '#platform/kube/quota/counted-resource';
import { isInScope } from '#platform/kube/quota/quota-scope';
import { computeUsage, usageOf } from '#platform/kube/quota/usage';
import type { Amounts } from '#platform/kube/resources/amounts';
import { hasPodLevelResources } from '#platform/kube/resources/pod-resources';

/** A write that quotas may limit. */
export interface ChargedWrite {
  readonly resource: CountedResource;
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
  /** Usage of the object after the write. */
  readonly usage: Amounts;
  /** Increase of usage by the write. Decreases are not charged, since they are recounted in any case. */
  readonly increase: Amounts;
}

export function chargedWrite(
  resource: CountedResource,
  object: KubeObject,
  old: KubeObject | undefined,
  now: number,
): ChargedWrite {
  const usage = usageOf(resource, object, now);
  const before: Amounts = old === undefined ? new Map() : usageOf(resource, old, now);
  const increase: Amounts = new Map();
  for (const [name, amount] of usage) {
    const more = sub(amount, before.get(name) ?? quantityOf(0));
    if (more.nano > 0n) increase.set(name, more);
  }
  return { resource, object, old, usage, increase };
}

/** Reports whether a quota limits anything that objects of this kind use, and has the object in its scope. */
export function appliesTo(quota: ResourceQuota, { resource, object }: ChargedWrite): boolean {
  return limitsOn(resource, quota.status?.hard ?? {}).length > 0 && isInScope(quota.spec ?? {}, resource, object);
}

/** Returns the growth to charge to a quota: all of the usage if the write brings the object into its scope. */
export function growthOf(quota: ResourceQuota, { resource, old, usage, increase }: ChargedWrite): Amounts {
  const known = old === undefined || isInScope(quota.spec ?? {}, resource, old);
  return known ? increase : new Map([...usage].filter(([, amount]) => !isZero(amount)));
}

/** Returns why a quota rejects a write however much is left of it, undefined if it does not. */
export function quotaProblem(quota: ResourceQuota, { resource, object }: ChargedWrite): string | undefined {
  const { name = '' } = quota.metadata;
  const { hard = {}, used = {} } = quota.status ?? {};
  const isPod = resource.group === '' && resource.plural === 'pods';
  const missing = isPod ? unspecifiedResources(object as Pod, hard) : undefined;
  if (missing !== undefined) return `failed quota: ${name}: must specify ${missing}`;
  const bounded = limitsOn(resource, hard);
  if (bounded.every((each) => used[each] !== undefined)) return undefined;
  return `status unknown for quota: ${name}, resources: ${bounded.toSorted().join(',')}`;
}

/** Returns which limits of a quota a charge exceeds, undefined if it exceeds none. */
export function excessProblem(quota: ResourceQuota, growth: Amounts): string | undefined {
  const { hard = {}, used = {} } = quota.status ?? {};
  const names = [...growth.keys()].filter((each) => ownValue(hard, each) !== undefined);
  const [limits, present] = [pickAmounts(hard, names), pickAmounts(used, names)];
  const amountIn = (amounts: Amounts, each: string) => amounts.get(each) ?? quantityOf(0);
  const exceeded = names.filter(
    (each) => compare(add(amountIn(present, each), amountIn(growth, each)), amountIn(limits, each)) > 0,
  );
  if (exceeded.length === 0) return undefined;
  exceeded.sort();
  const shown = (amounts: Amounts) =>
    exceeded.map((each) => `${each}=${formatQuantity(amountIn(amounts, each))}`).join(',');
  const { name = '' } = quota.metadata;
  return `exceeded quota: ${name}, requested: ${shown(growth)}, used: ${shown(present)}, limited: ${shown(limits)}`;
}

/** Parses only these amounts: a quota may have thousands of others. */
function pickAmounts(list: ResourceList, names: readonly string[]): Amounts {
  return new Map(names.map((name) => [name, parseQuantity(ownValue(list, name) ?? '0')]));
}

const EXPLICIT = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];

/** Returns the containers without a cpu or memory value that a quota limits. A pod with values of its own needs none. */
function unspecifiedResources(pod: Pod, hard: ResourceList): string | undefined {
  const required = EXPLICIT.filter((name) => hard[name] !== undefined);
  if (required.length === 0 || hasPodLevelResources(pod)) return undefined;
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].map(
    ({ name, resources }) => ({ name, usage: computeUsage(resources) }),
  );
  const problems = required.flatMap((limit) => {
    const names = containers.filter(({ usage }) => !usage.has(limit)).map(({ name }) => name);
    return names.length === 0 ? [] : [`${limit} for: ${names.sort().join(',')}`];
  });
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** Returns the quota after a charge, or with a negative sign after a refund. Undefined if nothing changes. */
export function withCharge(quota: ResourceQuota, growth: Amounts, sign: 1 | -1): ResourceQuota | undefined {
  const { hard = {}, used = {} } = quota.status ?? {};
  const next: Record<string, string | number> = { ...used };
  let changed = false;
  for (const [name, amount] of growth) {
    if (ownValue(hard, name) === undefined || isZero(amount)) continue;
    const before: Quantity = parseQuantity(ownValue(used, name) ?? '0');
    const after = sign === 1 ? add(before, amount) : sub(before, amount);
    setOwn(next, name, formatQuantity(after.nano < 0n ? quantityOf(0) : after));
    changed = true;
  }
  return changed ? { ...quota, metadata: { ...quota.metadata }, status: { ...quota.status, used: next } } : undefined;
}
