import type { KubeObject } from '#platform/kube/kube-object';
import type { Strategy } from '../resource.ts';
import { nullEmptyLists } from './empty-lists.ts';
import { validateFinalizers } from './finalizer.ts';
import type { KindStrategy } from './kind-strategy.ts';
import { rulesOf } from './rules-of.ts';
import traits from './traits.data.json' with { type: 'json' };

interface Traits {
  readonly generation?: boolean;
  readonly status?: boolean;
  readonly createOnUpdate?: boolean;
  readonly unconditionalUpdate?: boolean;
}

const TRAITS: Readonly<Record<string, Traits>> = traits;

/** Kinds whose status can be set on creation, since a kubelet registers its node with it. */
const STATUS_ON_CREATE = new Set(['nodes.']);

/** Kinds whose finalizers need no domain. */
const ANY_FINALIZER = new Set([
  'apiservices.apiregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'events.',
  'leases.coordination.k8s.io',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'poddisruptionbudgets.policy',
  'runtimeclasses.node.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
]);

/** Kinds whose own rules do not validate metadata, so that the common rules run after them. */
const METADATA_LAST = new Set(['events.', 'events.events.k8s.io', 'poddisruptionbudgets.policy']);

/** Kinds that orphan their pods by default, because they predate the propagation policy. */
const ORPHANS_BY_DEFAULT = new Set(['replicationcontrollers.', 'jobs.batch']);

/** Kinds whose deletion responds with the object. */
const ANSWER_DELETED = new Set(
  [
    ...['persistentvolumes', 'persistentvolumeclaims', 'pods', 'podtemplates', 'resourcequotas', 'services'],
    'serviceaccounts',
  ].map((plural) => `${plural}.`),
);
const PODS_PRESERVED =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';
const STORAGE_GROUP = 'storage.k8s.io';

/** Returns the strategy of a built-in kind, which is the behavior of the API server beyond its schema. */
export function strategyOf(group: string, plural: string): Strategy {
  const name = `${plural}.${group}`;
  const { generation = false, status = false, ...updates } = TRAITS[name] ?? {};
  const rules = rulesOf(group, plural);
  const settle = nullEmptyLists(name);
  return {
    ...rules,
    ...updates,
    generation,
    status,
    ...(ANSWER_DELETED.has(name) || group === STORAGE_GROUP ? { answersDeleted: true } : {}),
    ...(name === 'limitranges.' ? { namesNameless: true } : {}),
    ...(METADATA_LAST.has(name) ? { metadataLast: true } : {}),
    ...(ORPHANS_BY_DEFAULT.has(name) ? { orphansByDefault: true } : {}),
    ...(name === 'jobs.batch' ? { orphanWarning: PODS_PRESERVED } : {}),
    prepareCreate: prepareCreate(rules, status && !STATUS_ON_CREATE.has(name), settle),
    ...(settle === undefined ? {} : { prepareUpdate: prepareUpdate(rules, settle) }),
    validate: (object, old) => [
      ...(ANY_FINALIZER.has(name) ? [] : validateFinalizers(object)),
      ...(rules.validate?.(object, old) ?? []),
    ],
  };
}

/** Returns the preparation of a new object, whose status the server sets. */
function prepareCreate(
  rules: KindStrategy,
  resetStatus: boolean,
  settle: ((object: KubeObject) => void) | undefined,
): NonNullable<Strategy['prepareCreate']> {
  return (object, user) => {
    if (resetStatus) object['status'] = rules.firstStatus?.(object) ?? {};
    rules.prepareCreate?.(object, user);
    settle?.(object);
  };
}

function prepareUpdate(
  rules: KindStrategy,
  settle: (object: KubeObject) => void,
): NonNullable<Strategy['prepareUpdate']> {
  return (object, old) => {
    rules.prepareUpdate?.(object, old);
    settle(object);
  };
}
