import type { KubeObject } from '#platform/kube/kube-object';
import { INSTALLED } from './desired-objects.ts';

/** Returns the Helm release of an object as `name -n namespace`, or undefined if it has none. */
export function releaseOf({ metadata: { labels = {}, annotations = {} } }: KubeObject): string | undefined {
  const name = annotations['meta.helm.sh/release-name'];
  if (name !== undefined) return `${name} -n ${annotations['meta.helm.sh/release-namespace'] ?? 'default'}`;
  return labels['app.kubernetes.io/managed-by'] === 'Helm' ? 'RELEASE' : undefined;
}

/** Reports whether `vimana install` created an object that others may create too. */
export const isInstalled = ({ metadata: { labels = {} } }: KubeObject) => labels[INSTALLED.label] === INSTALLED.value;
