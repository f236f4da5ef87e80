import type { Crd } from '../crd.ts';
import { partsOf, type RawSchema } from './raw-schema.ts';
import { shareParts } from './shared-parts.ts';

/** Formats that the API server knows how to check, or knows to be a number's. */
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

/** The formats in the schemas of a definition that nobody checks. */
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
