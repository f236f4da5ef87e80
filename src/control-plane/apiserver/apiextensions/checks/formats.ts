import type { Crd } from '../crd.ts';
import { partsOf, type RawSchema } from './raw-schema.ts';
import { shareParts } from './shared-parts.ts';

/** Formats that the API server validates, or knows as those of a number. */
const KNOWN = new Set([
  'bsonobjectid',
  'uri',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
  'isbn',
  'isbn10',
  'isbn13',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'byte',
  'password',
  'date',
  'duration',
  'datetime',
  'date-time',
  'int32',
  'int64',
  'float',
  'double',
  'k8s-short-name',
  'k8s-long-name',
]);

/** Returns the formats in the schemas of a CRD that nothing validates. */
export function unknownFormats(definition: Crd): string[] {
  const { shared, versions } = shareParts(definition);
  return [shared, ...versions].flatMap(({ schema }) =>
    schema?.openAPIV3Schema === undefined ? [] : formatsIn(schema.openAPIV3Schema as RawSchema),
  );
}

function formatsIn(schema: RawSchema): string[] {
  const { format = '' } = schema;
  return [...(format === '' || KNOWN.has(format) ? [] : [format]), ...partsOf(schema).flatMap(formatsIn)];
}
