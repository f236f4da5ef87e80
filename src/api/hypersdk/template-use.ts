import type { VirtualMachine } from './virtual-machine.ts';
import type { VMTemplate } from './vm-template.ts';

/** Finalizer that holds a template until no VM names it any more. */
export const TEMPLATE_FINALIZER = 'hypersdk.io/template-protection';

/** Condition of a template that lists the VMs that use it. */
export const IN_USE = 'InUse';

/** Returns the template that a VM names, as `namespace/name`. */
export function templateKey({ metadata, spec }: VirtualMachine): string | undefined {
  const { templateRef } = spec.image ?? {};
  // An empty namespace counts as absent.
  return templateRef === undefined ? undefined : `${templateRef.namespace || metadata.namespace}/${templateRef.name}`;
}

/** Annotation of a VMTemplate: other namespaces whose VMs may use it, separated by commas, or `*` for all. */
export const MACHINES_FROM = 'vimana.io/machines-from';

/**
 * Reports whether VMs of a namespace may use a template. Templates are read with our own permissions: without this
 * check, anyone who may create a VM in one namespace could see all templates, and block their deletion.
 */
export function isFor({ metadata }: Pick<VMTemplate, 'metadata'>, namespace: string): boolean {
  if (metadata.namespace === namespace) return true;
  const named = (metadata.annotations?.[MACHINES_FROM] ?? '').split(',');
  return named.some((name) => name.trim() === namespace || name.trim() === '*');
}

/** Returns the template that a VM names and may use. Returns undefined if it names none. */
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

/** Returns the message for a VM whose template is not available to it. */
export function templateDenial(namespace: string, key: string): string {
  return `VMTemplate ${key} may not be used by VMs of namespace ${namespace}: to allow it, add ${namespace} to the comma-separated annotation ${MACHINES_FROM} of the template`;
}

const MAX_NAMES = 5;

/** Formats the VMs for the condition: the first by name, and the number of others. */
export function userNames(keys: readonly string[]): string {
  const names = keys.toSorted();
  const more = names.length - MAX_NAMES;
  return more <= 0 ? names.join(', ') : `${names.slice(0, MAX_NAMES).join(', ')} and ${more} more`;
}

/** Parses the VMs named in such a message. */
export function namedUsers(words: string): { readonly namespace: string; readonly name: string }[] {
  return [...words.matchAll(/([^\s,/]+)\/([^\s,/]+)/g)].map(([, namespace = '', name = '']) => ({ namespace, name }));
}
