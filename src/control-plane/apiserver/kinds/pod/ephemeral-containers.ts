import { type FieldError, forbidden, index } from '#platform/base/field-error';
import { byName } from '../by-name.ts';
import { same } from '../field-checks.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import type { Container, Pod } from './pod-spec.ts';
import { validateImage } from './pod-update.ts';
import { validatePodSpec } from './validate-pod-spec.ts';

/** Strategy of the subresource `ephemeralcontainers`, which only adds containers. */
export const ephemeralContainers: Required<Pick<KindStrategy<Pod>, 'prepareUpdate' | 'validate'>> = {
  prepareUpdate(object, old) {
    const { ephemeralContainers } = object.spec;
    object.spec = structuredClone(old.spec);
    if (ephemeralContainers === undefined) delete object.spec.ephemeralContainers;
    else object.spec.ephemeralContainers = ephemeralContainers;
    if (old.status !== undefined) object.status = structuredClone(old.status);
  },
  validate(object, old) {
    const containers = object.spec.ephemeralContainers ?? [];
    return [
      ...validatePodSpec('spec', object.spec),
      ...containers.flatMap(({ image = '' }, i) =>
        image === '' ? [] : validateImage(`${index('spec.ephemeralContainers', i)}.image`, image),
      ),
      ...validateKept(containers, old?.spec.ephemeralContainers ?? []),
    ];
  },
};

function validateKept(now: readonly Container[], before: readonly Container[]): FieldError[] {
  return before.flatMap((old) => {
    const found = byName(now).get(old.name ?? '');
    if (found !== undefined && same(found, old)) return [];
    const what = found === undefined ? 'removed' : 'changed';
    return [forbidden('spec.ephemeralContainers', `existing ephemeral containers "${old.name}" may not be ${what}\n`)];
  });
}
