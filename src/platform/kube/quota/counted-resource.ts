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

/** Returns the limits of a quota towards which the objects of a resource count. */
export function limitsOn({ group, plural }: CountedResource, hard: object): string[] {
  return Object.keys(hard).filter((limit) => {
    const counted = countedBy(limit);
    return counted !== undefined && counted.plural === plural && counted.group === group;
  });
}
