import { child, type FieldError, index, invalid, required } from '#platform/base/field-error';
import type { CrdVersion } from '../crd.ts';
import { validateJsonPath } from './json-path.ts';

const TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Validates the columns of a table. */
export function validateColumn(columns: CrdVersion['additionalPrinterColumns'], path: string): FieldError[] {
  return (columns ?? []).flatMap(({ name, type, format = '', jsonPath }, i) => {
    const at = index(path, i);
    const causes: FieldError[] = [];
    const types = `must be one of ${TYPES.join(',')}`;
    if (!name) causes.push(required(child(at, 'name')));
    if (!type) causes.push(required(child(at, 'type'), types));
    else if (!TYPES.includes(type)) causes.push(invalid(child(at, 'type'), type, types));
    if (format !== '' && !FORMATS.includes(format)) {
      causes.push(invalid(child(at, 'format'), format, `must be one of ${FORMATS.join(',')}`));
    }
    // The API server's internal name of the field differs from the external one.
    const pathAt = child(at, 'JSONPath');
    return [...causes, ...(jsonPath ? validateJsonPath(jsonPath, pathAt) : [required(pathAt)])];
  });
}
