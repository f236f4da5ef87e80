import type { KubeObject } from '#platform/kube/kube-object';
import { INSTALLED } from './desired-objects.ts';

/** The release of Helm that an object belongs to, as `name -n namespace`; undefined where it belongs to none. */
export function releaseOf({ metadata: { labels = {}, annotations = {} } }: KubeObject): string | undefined {
  const name = annotations['meta.helm.sh/release-name'];
  if (name !== undefined) return `${name} -n ${annotations['meta.helm.sh/release-namespace'] ?? 'default'}`;
  return labels['app.kubernetes.io/managed-by'] === 'Helm' ? 'RELEASE' : undefined;
}

/** Whether `vimana install` has made an object that others may make as well. */
export const isInstalled = ({ metadata: { labels = {} } }: KubeObject) => labels[INSTALLED.label] === INSTALLED.value;
