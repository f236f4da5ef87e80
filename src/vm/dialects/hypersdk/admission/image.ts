import type { Checksum } from '#api/hypersdk/image';
import { type FieldError, invalid } from '#platform/base/field-error';

const COMPONENT = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*';
const CONTAINER_IMAGE = new RegExp(
  `^(?:[a-zA-Z0-9][a-zA-Z0-9.-]*(?::[0-9]+)?/)?${COMPONENT}(?:/${COMPONENT})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?$`,
);
const S3 = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/[^\s]+$/;
const DIGEST_LENGTH = { md5: 32, sha256: 64, sha512: 128 } as const;

/** Validates the URL of an image. */
export function imageSource(field: string, source: string | undefined): FieldError[] {
  if (source === undefined) return [];
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(source)?.[1];
  switch (scheme) {
    case undefined:
      return containerImage(field, source);
    case 'http':
    case 'https':
      return httpAddress(field, source);
    case 's3':
      return s3Address(field, source);
    case 'docker':
      return containerImage(field, source, source.slice('docker://'.length));
    default:
      return [invalid(field, source, `unknown scheme ${scheme}://: use http, https, s3 or docker`)];
  }
}

export function httpAddress(field: string, value: string | undefined): FieldError[] {
  if (value === undefined || (/^https?:\/\/[^/\s]/.test(value) && URL.canParse(value))) return [];
  return [invalid(field, value, 'must be a URL such as https://images.example.org/disk.qcow2')];
}

export function s3Address(field: string, value: string | undefined): FieldError[] {
  if (value === undefined || S3.test(value)) return [];
  return [invalid(field, value, 'must name a bucket and an object: s3://bucket/path/disk.qcow2')];
}

/** Validates the name of a container image. `name` is the part of the value that holds it. */
export function containerImage(field: string, value: string | undefined, name = value): FieldError[] {
  if (name === undefined || CONTAINER_IMAGE.test(name)) return [];
  return [invalid(field, value, 'must be an http, https or s3 URL or a container image such as team/disk:1.0')];
}

/** Validates that a digest has the length and the digits of its algorithm. */
export function checksum(field: string, given: Checksum | undefined): FieldError[] {
  if (given?.type === undefined || given.value === undefined) return [];
  const length = DIGEST_LENGTH[given.type];
  if (given.value.length === length && /^[0-9a-fA-F]*$/.test(given.value)) return [];
  return [invalid(`${field}.value`, given.value, `must be ${length} hexadecimal digits for ${given.type}`)];
}
