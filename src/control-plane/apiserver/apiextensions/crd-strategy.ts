import type { KubeObject } from '#platform/kube/kube-object';
import type { Strategy } from '../resource.ts';
import { unknownFormats } from './checks/formats.ts';
import { validateCrd } from './checks/validate-crd.ts';
import { CLEANUP_FINALIZER, type Crd, type CrdStatus, storageVersion } from './crd.ts';
import { setCondition } from './crd-status.ts';

const definitionOf = (object: KubeObject): Crd => object as unknown as Crd;

/** Strategy for writing CustomResourceDefinitions. */
export const crdStrategy: Strategy = {
  generation: true,
  status: true,
  unconditionalUpdate: false,

  defaults(object) {
    const { spec } = definitionOf(object);
    const { names } = spec;
    if (!names.singular && names.kind !== '') names.singular = names.kind.toLowerCase();
    if (!names.listKind && names.kind !== '') names.listKind = `${names.kind}List`;
    spec.conversion ??= { strategy: 'None' };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service !== undefined) service.port ??= 443;
  },

  prepareCreate(object) {
    const definition = definitionOf(object);
    const stored = storageVersionOf(definition);
    definition.status = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: stored === undefined ? null : [stored],
    } as unknown as CrdStatus;
  },

  prepareUpdate(object) {
    const definition = definitionOf(object);
    const stored = storageVersionOf(definition);
    const before = definition.status?.storedVersions ?? [];
    if (stored === undefined || before.includes(stored)) return;
    definition.status = { ...definition.status, storedVersions: [...before, stored] };
  },

  validate: (object, old) => validateCrd(definitionOf(object), old && definitionOf(old)),

  warnings(object, old) {
    const before = old === undefined ? new Set<string>() : new Set(unknownFormats(definitionOf(old)));
    const found = unknownFormats(definitionOf(object)).filter((format) => !before.has(format));
    return found.map((format) => `unrecognized format ${JSON.stringify(format)}`);
  },

  onDelete(object) {
    const { metadata } = object;
    // In the API server, the deletion of a CRD neither changes its generation nor has a grace period.
    if (metadata.generation !== undefined) metadata.generation--;
    delete metadata.deletionGracePeriodSeconds;
    if (metadata.finalizers?.includes(CLEANUP_FINALIZER) !== true) {
      metadata.finalizers = [...(metadata.finalizers ?? []), CLEANUP_FINALIZER];
    }
    const definition = definitionOf(object);
    definition.status = setCondition(definition.status ?? {}, {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      lastTransitionTime: metadata.deletionTimestamp ?? '',
    });
  },
};

/** Returns undefined if no version is the storage version. Such a CRD fails validation. */
function storageVersionOf({ spec }: Crd): string | undefined {
  // Decoding leaves null for an absent list.
  return spec.versions?.some(({ storage }) => storage) ? storageVersion({ spec } as Crd) : undefined;
}
