import { child, type FieldError, invalid, required } from '#platform/base/field-error';
import type { CrdVersion } from '../crd.ts';
import { jsonPathCauses } from './json-path.ts';

/** Where a scale may not look for its numbers. */
export function subresourceCauses(subresources: CrdVersion['subresources'], path: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  const at = (name: string): string => child(path, `scale.${name}`);
  return [
    ...pathCauses(specReplicasPath, at('specReplicasPath'), ['.spec.'], 'should be a json path under .spec'),
    ...pathCauses(statusReplicasPath, at('statusReplicasPath'), ['.status.'], 'should be a json path under .status'),
    ...(labelSelectorPath === ''
      ? []
      : pathCauses(
          labelSelectorPath,
          at('labelSelectorPath'),
          ['.spec.', '.status.'],
          'should be a json path under either .spec or .status',
        )),
  ];
}

function pathCauses(path: string, field: string, starts: readonly string[], detail: string): FieldError[] {
  if (path === '') return [required(field)];
  const malformed = jsonPathCauses(path, field);
  if (malformed.length > 0) return malformed;
  return starts.some((start) => path.startsWith(start)) ? [] : [invalid(field, path, detail)];
}
