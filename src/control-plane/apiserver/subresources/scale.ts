import { invalid as invalidField } from '#platform/base/field-error';
import { ownValue, setOwn } from '#platform/base/own-value';
import type { KubeObject } from '#platform/kube/kube-object';
import { labelSelectorOf, labelSelectorOfSet } from '#platform/kube/selectors/label-selector';
import { badRequest, internal, invalid } from '../api-error.ts';
import type { ScalePaths } from '../scale-paths.ts';
import type { SubresourceView } from '../verbs/guaranteed-update.ts';

const keysOf = (path: string) => path.split('.').filter((key) => key !== '');

function read(object: unknown, path: string): unknown {
  let value = object;
  for (const key of keysOf(path)) value = ownValue((value ?? {}) as Readonly<Record<string, unknown>>, key);
  return value;
}

/** Returns the Scale of an object that is read, which must have a replica count. */
export function scaleInVersion(object: KubeObject, paths: ScalePaths): KubeObject {
  if (paths.custom !== undefined && read(object, paths.spec) === undefined) {
    throw internal(new Error(`the spec replicas field ${JSON.stringify(paths.spec)} does not exist`));
  }
  return scaleOf(object, paths);
}

export function scaleOf(object: KubeObject, paths: ScalePaths): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = selectorOf(object, paths);
  const replicas = countOf(read(object, paths.spec));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: JSON.parse(JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp })),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: countOf(read(object, paths.status)), ...(selector === '' ? {} : { selector }) },
  };
}

const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

function selectorOf(object: KubeObject, { selector }: ScalePaths): string {
  if (selector !== undefined) {
    const text = read(object, selector);
    return typeof text === 'string' ? text : '';
  }
  const spec = read(object, '.spec.selector');
  if (typeof spec !== 'object' || spec === null) return '';
  // A ReplicationController selects by plain labels.
  const plain = Object.values(spec).every((value) => typeof value === 'string');
  const chosen = plain ? labelSelectorOfSet(spec as Record<string, string>) : labelSelectorOf(spec);
  return chosen.toString();
}

export const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;

/** Returns the view that admission has of an object whose scale is written. */
export function scaleView(paths: ScalePaths): SubresourceView {
  return {
    kind: SCALE,
    show: (object) => scaleOf(object, paths),
    take: (object, scale) => withScale(object, scale, paths),
  };
}

/** Returns the object with the replica count of a Scale. */
export function withScale(object: KubeObject, scale: KubeObject, paths: ScalePaths): KubeObject {
  const { replicas = 0 } = (scale['spec'] ?? {}) as { readonly replicas?: number };
  // Errors of a custom object are reported when all of it is validated.
  if (replicas < 0 && paths.custom === undefined) {
    const cause = invalidField('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, object.metadata.name ?? '', [cause]);
  }
  if (replicas === 0 && paths.custom !== undefined && read(object, paths.spec) === undefined) {
    throw badRequest(`the spec replicas field ${JSON.stringify(paths.spec)} cannot be empty`);
  }
  const copy = structuredClone(object);
  const keys = keysOf(paths.spec);
  const last = keys.pop() ?? 'replicas';
  let at = copy as Record<string, unknown>;
  for (const key of keys) {
    const inner = (ownValue(at, key) ?? {}) as Record<string, unknown>;
    setOwn(at, key, inner);
    at = inner;
  }
  setOwn(at, last, replicas);
  const requested = scale.metadata.resourceVersion ?? '';
  if (requested === '') delete copy.metadata.resourceVersion;
  else copy.metadata.resourceVersion = requested;
  return copy;
}
