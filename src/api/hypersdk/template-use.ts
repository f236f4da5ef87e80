import type { VirtualMachine } from './virtual-machine.ts';
import type { VMTemplate } from './vm-template.ts';

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

/** On a VMTemplate: the other namespaces whose machines may be made from it, with commas between them; `*` for all. */
export const MACHINES_FROM = 'vimana.io/machines-from';

/**
 * Whether machines of a namespace may be made from a template. It is read with rights of our own: without this, whoever
 * may create a machine in one namespace would see the templates of all, and could hold them against their deletion.
 */
export function isFor({ metadata }: Pick<VMTemplate, 'metadata'>, namespace: string): boolean {
  if (metadata.namespace === namespace) return true;
  const named = (metadata.annotations?.[MACHINES_FROM] ?? '').split(',');
  return named.some((name) => name.trim() === namespace || name.trim() === '*');
}

/** The template that a machine names, where it may be made from it; undefined where it names none. */
export function templateFor(
  machine: VirtualMachine,
  find: (key: string) => VMTemplate | undefined,
): VMTemplate | 'missing' | 'withheld' | undefined {
  const key = templateKey(machine);
  if (key === undefined) return undefined;
  const found = find(key);
  if (found === undefined) return 'missing';
  return isFor(found, machine.metadata.namespace) ? found : 'withheld';
}

/** What a machine is told that names a template which is not for it. */
export function withheldFrom(namespace: string, key: string): string {
  return `VMTemplate ${key} is not for machines of namespace ${namespace}: to allow it, put ${namespace} into the annotation ${MACHINES_FROM} of the template, a list with commas`;
}

const MAX_NAMES = 5;

/** Machines as the condition names them: the first by their names, and how many more. */
export function userNames(keys: readonly string[]): string {
  const names = keys.toSorted();
  const more = names.length - MAX_NAMES;
  return more <= 0 ? names.join(', ') : `${names.slice(0, MAX_NAMES).join(', ')} and ${more} more`;
}

/** The machines that are named in such words. */
export function namedUsers(words: string): { readonly namespace: string; readonly name: string }[] {
  return [...words.matchAll(/([^\s,/]+)\/([^\s,/]+)/g)].map(([, namespace = '', name = '']) => ({ namespace, name }));
}
