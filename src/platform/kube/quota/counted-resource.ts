/** Resource as named in quotas. */
export interface CountedResource {
  readonly group: string;
  readonly plural: string;
}

/** Resources whose count has a short name beside `count/...`. */
const SHORT = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas']);

/** Resources of a pod that quotas limit by request and by limit. */
const NATIVE = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Returns the name under which quotas count the objects of a resource. */
export function countName({ group, plural }: CountedResource): string {
  return `count/${plural}${group === '' ? '' : `.${group}`}`;
}

export function hasShortName({ group, plural }: CountedResource): boolean {
  return group === '' && SHORT.has(plural);
}

export function isNative(name: string): boolean {
  return NATIVE.has(name);
}

/** Returns the resource whose objects count towards a limit, or undefined if no known resource does. */
export function countedBy(limit: string): CountedResource | undefined {
  if (limit.startsWith('count/')) {
    const [plural = '', ...group] = limit.slice('count/'.length).split('.');
    return { group: group.join('.'), plural };
  }
  if (SHORT.has(limit)) return { group: '', plural: limit };
  if (limit === 'services' || limit.startsWith('services.')) return { group: '', plural: 'services' };
  if (/(^|\/)(persistentvolumeclaims|requests\.storage)$/.test(limit)) {
    return { group: '', plural: 'persistentvolumeclaims' };
  }
  const ofPods = limit === 'pods' || NATIVE.has(limit) || /^(requests\.|limits\.|hugepages-)/.test(limit);
  return ofPods ? { group: '', plural: 'pods' } : undefined;
}

/** Limits by the name of what they count, for each `hard` of a stored quota. */
const indexes = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

/**
 * Returns the limits of a quota towards which the objects of a resource count. All limits are read once, not with every
 * write: a quota may have thousands of them.
 */
export function limitsOn(resource: CountedResource, hard: object): readonly string[] {
  let index = indexes.get(hard);
  if (index === undefined) {
    index = indexLimits(hard);
    indexes.set(hard, index);
  }
  return index.get(countName(resource)) ?? [];
}

function indexLimits(hard: object): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const limit of Object.keys(hard)) {
    const counted = countedBy(limit);
    if (counted === undefined) continue;
    const name = countName(counted);
    const limits = index.get(name);
    if (limits === undefined) index.set(name, [limit]);
    else limits.push(limit);
  }
  return index;
}
