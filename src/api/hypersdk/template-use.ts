import type { VirtualMachine } from './virtual-machine.ts';

/** Holds a template until no machine names it any more. */
export const TEMPLATE_FINALIZER = 'hypersdk.io/template-protection';

/** The condition of a template that says which machines name it. */
export const IN_USE = 'InUse';

/** The template that a machine names, as `namespace/name`. */
export function templateKey({ metadata, spec }: VirtualMachine): string | undefined {
  const { templateRef } = spec.image ?? {};
  // An empty namespace is as good as none.
  return templateRef === undefined ? undefined : `${templateRef.namespace || metadata.namespace}/${templateRef.name}`;
}

const MOST_NAMES = 5;

/** Machines as the condition names them: the first by their names, and how many more. */
export function userNames(keys: readonly string[]): string {
  const names = keys.toSorted();
  const more = names.length - MOST_NAMES;
  return more <= 0 ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and ${more} more`;
}

/** The machines that are named in such words. */
export function namedUsers(words: string): { readonly namespace: string; readonly name: string }[] {
  return [...words.matchAll(/([^\s,/]+)\/([^\s,/]+)/g)].map(([, namespace = '', name = '']) => ({ namespace, name }));
}
