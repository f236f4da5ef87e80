import type { FieldError } from '#platform/base/field-error';
import { validateLabelName } from '../field-checks.ts';
import { validateFinalizer } from '../finalizer.ts';
import type { KindStrategy } from '../kind-strategy.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';
const OWN_FINALIZER = 'kubernetes';

interface Namespace {
  spec?: { finalizers?: string[] };
  status?: { phase?: string };
}

export const namespaces: KindStrategy<Namespace> = {
  defaults(object) {
    // Policies select namespaces by this label, so it can be neither removed nor forged.
    const { name } = object.metadata;
    if (name !== undefined && name !== '') (object.metadata.labels ??= {})[NAME_LABEL] = name;
    (object.status ??= {}).phase ??= 'Active';
  },
  prepareCreate(object) {
    const spec = (object.spec ??= {});
    const finalizers = spec.finalizers ?? [];
    if (!finalizers.includes(OWN_FINALIZER)) spec.finalizers = [...finalizers, OWN_FINALIZER];
    (object.metadata.labels ??= {})[NAME_LABEL] = object.metadata.name ?? '';
  },
  firstStatus: () => ({ phase: 'Active' }),
  prepareUpdate(object, old) {
    (object.metadata.labels ??= {})[NAME_LABEL] = object.metadata.name ?? '';
    // Finalizers of the content change only by the subresource `finalize`.
    object.spec = structuredClone(old.spec ?? {});
  },
  onDelete(object) {
    (object.status ??= {}).phase = 'Terminating';
  },
  // The content is deleted first, and then the subresource `finalize` removes the finalizer.
  unfinished: (object) => (object.spec?.finalizers ?? []).length > 0,
  validate: (object) => validateFinalizers(object.spec?.finalizers ?? []),
};

function validateFinalizers(finalizers: readonly string[]): FieldError[] {
  return finalizers.flatMap((name) => [
    ...validateLabelName('spec.finalizers', name),
    ...validateFinalizer('spec.finalizers', name),
  ]);
}
