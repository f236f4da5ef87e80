import type { KubeObject } from '#platform/kube/kube-object';
import { takeResources } from '../kinds/pod/pod-resize.ts';
import type { Pod } from '../kinds/pod/pod-spec.ts';

/**
 * Copies the fields that a subresource writes from the sent object, for subresources that are a part of their object.
 * `object` is a shallow copy of the stored object, whose members may be replaced but not modified.
 */
export type FieldWriter = (object: KubeObject, sent: KubeObject) => void;

const field = (object: KubeObject, name: string) => (object[name] ?? {}) as Record<string, unknown>;

function take(object: KubeObject, sent: KubeObject, section: 'spec' | 'status', names: readonly string[]): void {
  const into = { ...field(object, section) };
  for (const name of names) {
    const value = field(sent, section)[name];
    if (value === undefined) delete into[name];
    else into[name] = value;
  }
  object[section] = into;
}

const PARTS: ReadonlyMap<string, FieldWriter> = new Map<string, FieldWriter>([
  ['/namespaces/finalize', (object, sent) => take(object, sent, 'spec', ['finalizers'])],
  ['/pods/ephemeralcontainers', (object, sent) => take(object, sent, 'spec', ['ephemeralContainers'])],
  ['/pods/resize', (object, sent) => takeResources(object as Pod, sent as Pod)],
  ['/pods/binding', (object, sent) => Object.assign(object, { spec: sent['spec'], status: sent['status'] })],
  [
    'certificates.k8s.io/certificatesigningrequests/approval',
    (object, sent) => take(object, sent, 'status', ['conditions']),
  ],
]);

/**
 * Returns how a subresource writes its object; undefined for the object itself, its status, and anything that is not a
 * part of it.
 */
export function fieldWriterFor(group: string, plural: string, subresource: string): FieldWriter | undefined {
  return PARTS.get(`${group}/${plural}/${subresource}`);
}
