import { ageOf, type Cell, type Listed, nameOf } from '../cell.ts';

interface ResourceClaim extends Listed {
  readonly status?: { readonly allocation?: object; readonly reservedFor?: readonly unknown[] };
}

export function resourceClaimRow(object: ResourceClaim, now: number): Cell[] {
  const { allocation, reservedFor = [] } = object.status ?? {};
  const deleted = Boolean(object.metadata?.deletionTimestamp);
  const states = deleted ? ['deleted'] : allocation === undefined ? ['pending'] : [];
  if (allocation !== undefined) states.push('allocated', ...(reservedFor.length > 0 ? ['reserved'] : []));
  return [nameOf(object), states.join(','), ageOf(object, now)];
}

interface ResourceSlice extends Listed {
  readonly spec?: { readonly nodeName?: string; readonly driver?: string; readonly pool?: { readonly name?: string } };
}

export function resourceSliceRow(object: ResourceSlice, now: number): Cell[] {
  const { nodeName = '', driver = '', pool } = object.spec ?? {};
  return [nameOf(object), nodeName, driver, pool?.name ?? '', ageOf(object, now)];
}
