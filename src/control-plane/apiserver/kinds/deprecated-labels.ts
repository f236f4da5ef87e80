import { ownValue } from '#platform/base/own-value';

/** Deprecated node labels with their warnings. */
const DEPRECATED: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

export function deprecatedLabel(name: string): string | undefined {
  return ownValue(DEPRECATED, name);
}

const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Warns of the annotation that named a storage class before there was a field for it. */
export function storageClassWarnings(annotations: Readonly<Record<string, string>> = {}): string[] {
  if (annotations[STORAGE_CLASS_ANNOTATION] === undefined) return [];
  return [
    `metadata.annotations[${STORAGE_CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
  ];
}
