import { binaryFromBase64 } from '#platform/base/base64';
import { binaryBytes } from '#platform/base/bytes';

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const VERSION = 0xa0;
/** Unique identifiers of issuer and subject, and extensions. */
const OPTIONAL = new Set([0x81, 0x82, 0xa3]);
const PEM = /^-----BEGIN CERTIFICATE-----([\s\S]*)-----END CERTIFICATE-----\s*$/;

/** Element of DER: its tag and its content. */
interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** Reports whether a PEM block is an X.509 certificate. Only its structure is read, not what it states. */
export function isCertificate(pem: string): boolean {
  const [, base64] = PEM.exec(pem.trim()) ?? [];
  if (base64 === undefined || /[^A-Za-z0-9+/=\s]/.test(base64)) return false;
  const [certificate, ...rest] = elementsIn(binaryBytes(binaryFromBase64(base64))) ?? [];
  if (certificate?.tag !== SEQUENCE || rest.length > 0) return false;
  const parts = elementsIn(certificate.content);
  return parts !== undefined && hasTags(parts, [SEQUENCE, SEQUENCE, BIT_STRING]) && isSigned(parts[0]);
}

/** Reports whether an element has the fields of the signed part of a certificate. */
function isSigned(signed: Element | undefined): boolean {
  const all = elementsIn(signed?.content ?? new Uint8Array());
  if (all === undefined) return false;
  const fields = all[0]?.tag === VERSION ? all.slice(1) : all;
  const [required, optional] = [fields.slice(0, 6), fields.slice(6)];
  // Serial number, algorithm, issuer, validity, subject, public key.
  if (!hasTags(required, [INTEGER, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE])) return false;
  const [validity, key] = [required[3], required[5]].map((field) => elementsIn(field?.content ?? new Uint8Array()));
  const isTime = ({ tag }: Element) => tag === UTC_TIME || tag === GENERALIZED_TIME;
  return (
    validity?.length === 2 &&
    validity.every(isTime) &&
    key !== undefined &&
    hasTags(key, [SEQUENCE, BIT_STRING]) &&
    optional.every(({ tag }, i) => OPTIONAL.has(tag) && !optional.slice(0, i).some((other) => other.tag >= tag))
  );
}

function hasTags(elements: readonly Element[], tags: readonly number[]): boolean {
  return elements.length === tags.length && elements.every(({ tag }, i) => tag === tags[i]);
}

/** Splits DER into its elements, or returns undefined if it is malformed. */
function elementsIn(bytes: Uint8Array): readonly Element[] | undefined {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first = 0xff] = bytes.subarray(at, at + 2);
    const digits = first < 0x80 ? 0 : first - 0x80;
    // Four bytes of length suffice for all that a request can hold.
    if (digits > 4 || first === 0x80) return undefined;
    const start = at + 2 + digits;
    let length = first;
    if (digits > 0) length = bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
    if (start + length > bytes.length) return undefined;
    found.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
