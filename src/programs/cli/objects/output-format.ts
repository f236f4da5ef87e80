import type { KubeObject } from '#platform/kube/kube-object';
import { formatManifest } from './format-manifest.ts';

export const FORMATS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type Format = (typeof FORMATS)[number];

/** Formats objects of any kind for programs. A single one is an object, several are a List. */
export function formatObjectList(
  objects: readonly KubeObject[],
  format: 'json' | 'yaml' | 'name',
  { single, managedFields }: { readonly single: boolean; readonly managedFields: boolean },
): string {
  if (format === 'name') return objects.map((object) => `${resourceName(object)}\n`).join('');
  const items = managedFields ? objects : objects.map(withoutManagedFields);
  const whole = single ? items[0] : { apiVersion: 'v1', kind: 'List', items };
  return formatManifest(whole ?? {}, format);
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Names an object as kubectl does: `virtualmachine.kubevirt.io/web`. */
export function resourceName({ apiVersion, kind, metadata }: KubeObject): string {
  return `${kind.toLowerCase()}.${apiVersion.split('/')[0] ?? ''}/${metadata.name ?? ''}`;
}
