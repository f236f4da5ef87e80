import type { Namespace } from './kinds/core.ts';

/** On a Namespace: the others from which its machines may be operated on, with commas between them; `*` for all. */
export const OPERATIONS_FROM = 'vimana.io/operations-from';

/** Whose objects may act on what is in a namespace. */
export interface Grants {
  readonly namespace: (name: string) => Namespace | undefined;
  /** The only namespace that is looked after, where it is one. */
  readonly only?: string | undefined;
}

export interface Objection {
  readonly reason: 'Forbidden' | 'NotFound';
  readonly message: string;
}

/**
 * Why an object in one namespace may not act on machines in another; undefined where it may. We act with rights of our
 * own: without this, whoever may create an object in one namespace would reach the machines of all.
 */
export function objectionTo(from: string, to: string, { namespace, only }: Grants): Objection | undefined {
  if (from === to) return undefined;
  if (only !== undefined && only !== '')
    return { reason: 'Forbidden', message: `namespace ${only} alone is looked after here, and ${to} is another` };
  const found = namespace(to);
  if (found === undefined) return { reason: 'NotFound', message: `namespace ${to} is not there` };
  const named = (found.metadata.annotations?.[OPERATIONS_FROM] ?? '').split(',');
  const granted = new Set(named.map((name) => name.trim()));
  if (granted.has(from) || granted.has('*')) return undefined;
  const message = `namespace ${to} does not let namespace ${from} act on its machines: to allow it, put ${from} into the annotation ${OPERATIONS_FROM} of namespace ${to}, a list with commas`;
  return { reason: 'Forbidden', message };
}
