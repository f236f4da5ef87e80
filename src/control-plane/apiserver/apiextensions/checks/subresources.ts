import { child, type FieldError, invalid, required } from '#platform/base/field-error';
import type { CrdVersion } from '../crd.ts';
import { validateJsonPath } from './json-path.ts';

/** Validates the paths of the scale subresource. */
export function validateSubresource(subresources: CrdVersion['subresources'], path: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  const at = (name: string): string => child(path, `scale.${name}`);
  return [
    ...validatePath(specReplicasPath, at('specReplicasPath'), ['.spec.'], 'should be a json path under .spec'),
    ...validatePath(statusReplicasPath, at('statusReplicasPath'), ['.status.'], 'should be a json path under .status'),
    ...(labelSelectorPath === ''
      ? []
      : validatePath(
          labelSelectorPath,
          at('labelSelectorPath'),
          ['.spec.', '.status.'],
          'should be a json path under either .spec or .status',
        )),
  ];
}

function validatePath(path: string, field: string, starts: readonly string[], detail: string): FieldError[] {
  if (path === '') return [required(field)];
  const malformed = validateJsonPath(path, field);
  if (malformed.length > 0) return malformed;
  return starts.some((start) => path.startsWith(start)) ? [] : [invalid(field, path, detail)];
}
