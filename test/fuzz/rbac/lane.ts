import type { Random } from '#platform/base/random';
import { CERTIFICATE_REQUESTS, type FuzzKind, KINDS, objectKey } from './fuzz-kinds.ts';
import { type FuzzUser, type Grant, grantsOf, type LaneNames, laneNames, POOL, usersOf } from './grants.ts';
import { RbacModel, type Rule } from './rbac-model.ts';

/** An object with a word that only users with read access may see. */
export interface Planted {
  readonly kind: FuzzKind;
  readonly namespace: string;
  readonly name: string;
  readonly canary: string;
}

/** Matches canaries in any text, also in base64 for Secrets. */
export const CANARY = /cnry[0-9a-f]{12}|Y25ye[0-9A-Za-z+/]{15,18}/g;

/**
 * A part of the cluster whose requests are sent one at a time, so that the model knows what is stored. Each lane has
 * its own users, namespaces and roles, so that many can run in parallel.
 */
export class Lane {
  readonly names: LaneNames;
  readonly users: readonly FuzzUser[];
  readonly grants: readonly Grant[];
  readonly planted: readonly Planted[];
  readonly rbac = new RbacModel();
  /** Keys of the stored objects, as far as the model knows. */
  readonly stored = new Set<string>();
  /** Keys of objects whose existence the model does not track, such as a terminating Pod. */
  readonly uncertain = new Set<string>();
  /** Keys of objects that requests changed with permission since the store was last read. */
  readonly touched = new Set<string>();

  constructor(lane: number, random: Random) {
    this.names = laneNames(lane);
    this.users = usersOf(this.names);
    this.grants = grantsOf(this.names);
    this.planted = plantedIn(this.names, random);
    for (const [name, rules] of BUILT_IN_ROLES) this.rbac.clusterRoles.set(name, rules);
    for (const name of ['view', 'edit']) this.rbac.aggregated.add(name);
  }

  user(kind: FuzzUser['kind']): FuzzUser {
    const found = this.users.find((user) => user.kind === kind);
    if (found === undefined) throw new Error(`no user is a ${kind}`);
    return found;
  }

  /** Reports whether an object belongs to this lane, by its key. */
  owns(key: string): boolean {
    const [, namespace = '', name = ''] = key.split('|');
    const { prefix, home, foreign } = this.names;
    if (namespace !== '') return namespace === home || namespace === foreign;
    return name.startsWith(`${prefix}:`) || name === home || name === foreign;
  }
}

const ALL: readonly Rule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** These only need to allow more than any user of the fuzzer has. */
const BUILT_IN_ROLES: readonly (readonly [string, readonly Rule[]])[] = [
  ['cluster-admin', ALL],
  ['view', ALL],
  ['edit', ALL],
  ['system:kube-scheduler', ALL],
];

function plantedIn({ prefix, home, foreign }: LaneNames, random: Random): Planted[] {
  const planted: Planted[] = [];
  const plant = (kind: FuzzKind, namespace: string, name?: string): void => {
    const canary = `cnry${random.hex(12)}`;
    planted.push({ kind, namespace, name: name ?? canary, canary });
  };
  for (const kind of KINDS) {
    for (const namespace of [home, foreign]) {
      plant(kind, namespace);
      for (const name of POOL.slice(0, 2)) plant(kind, namespace, name);
    }
  }
  plant(CERTIFICATE_REQUESTS, '', `${prefix}:secret`);
  return planted;
}

export function keyOfPlanted({ kind, namespace, name }: Planted): string {
  return objectKey(kind, namespace, name);
}
