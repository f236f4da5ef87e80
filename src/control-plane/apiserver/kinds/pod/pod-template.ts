import { type FieldError, forbidden } from '#platform/base/field-error';
import { validateAnnotations, validateLabels } from '../field-checks.ts';
import type { PodTemplate } from './pod-spec.ts';
import { validatePodSpec } from './validate-pod-spec.ts';

/** Validates a pod template. */
export function validatePodTemplate(field: string, { metadata = {}, spec = {} }: PodTemplate): FieldError[] {
  return [
    ...validateLabels(`${field}.labels`, metadata.labels),
    ...validateAnnotations(`${field}.annotations`, metadata.annotations),
    ...validatePodSpec(`${field}.spec`, spec),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}
