import { createHash, createPublicKey, type KeyObject, randomBytes, sign, type X509Certificate } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { ConfigError } from '#platform/base/errors';
import {
  bits,
  boolean,
  explicit,
  implicit,
  integer,
  namedBits,
  octets,
  oid,
  sequence,
  set,
  time,
  utf8,
} from './der.ts';

/**
 * Writes certificates without a library, because loading one takes longer than the rest of a first start. Certificate
 * requests of others are parsed by the library.
 */

export interface CertificateContent {
  /** Subject's name in DER; see subjectName. */
  readonly subject: Uint8Array;
  /** Subject's public key in DER (SubjectPublicKeyInfo). */
  readonly publicKey: Uint8Array;
  /** Milliseconds since 1970; certificates have a resolution of seconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly authority?: boolean;
  readonly usages: readonly KeyUsage[];
  /** DNS names and IP addresses of a server. */
  readonly names?: readonly string[];
  /** The same as an encoded extension value, instead of `names`. */
  readonly alternativeNames?: Uint8Array;
}

/** Describes the signer: a P-256 key and the name and public key of its certificate. */
export interface Issuer {
  readonly name: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly key: KeyObject;
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));

/** Key usages as named by CertificateSigningRequest, with their bits or identifiers. */
const USAGES = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
} as const;

export type KeyUsage = keyof typeof USAGES;

/** Reports whether the text names a usage. */
export function isKeyUsage(text: string): text is KeyUsage {
  return Object.hasOwn(USAGES, text);
}

/** Returns a name with a common name and organizations, which Kubernetes reads as user and groups. */
export function subjectName(commonName: string, organizations: readonly string[] = []): Buffer {
  const part = (type: string, value: string): Buffer => set(sequence(oid(type), utf8(value)));
  return sequence(...organizations.map((name) => part('2.5.4.10', name)), part('2.5.4.3', commonName));
}

/** Returns a signed certificate as PEM. */
export function issueCertificate(content: CertificateContent, issuer: Issuer): string {
  const signed = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(randomBytes(16)),
    ECDSA_SHA256,
    issuer.name,
    sequence(time(content.notBefore), time(content.notAfter)),
    content.subject,
    content.publicKey,
    explicit(3, sequence(...extensions(content, issuer))),
  );
  const der = sequence(signed, ECDSA_SHA256, bits(sign('sha256', signed, issuer.key)));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Returns the public key of a key in DER. */
export function publicKeyOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

/** Reports whether a certificate is valid for all the names. */
export function holdsNames(certificate: X509Certificate, names: readonly string[]): boolean {
  return names.every((name) =>
    isAddress(name)
      ? certificate.checkIP(name) !== undefined
      : certificate.checkHost(name, { subject: 'never' }) !== undefined,
  );
}

function extensions(content: CertificateContent, issuer: Issuer): Buffer[] {
  const {
    authority = false,
    names = [],
    alternativeNames = names.length > 0 ? generalNames(names) : undefined,
  } = content;
  const numbers = content.usages.map((usage) => USAGES[usage]);
  const flags = numbers.filter((usage) => typeof usage === 'number');
  const purposes = [...new Set(numbers.filter((usage) => typeof usage === 'string'))];
  return [
    ...(flags.length > 0 ? [extension('2.5.29.15', true, namedBits(flags))] : []),
    ...(purposes.length > 0 ? [extension('2.5.29.37', false, sequence(...purposes.map(oid)))] : []),
    extension('2.5.29.19', true, authority ? sequence(boolean(true)) : sequence()),
    ...(authority ? [extension('2.5.29.14', false, octets(keyId(content.publicKey)))] : []),
    extension('2.5.29.35', false, sequence(implicit(0, keyId(issuer.publicKey)))),
    ...(alternativeNames ? [extension('2.5.29.17', false, alternativeNames)] : []),
  ];
}

function extension(type: string, critical: boolean, value: Uint8Array): Buffer {
  return sequence(oid(type), ...(critical ? [boolean(true)] : []), octets(value));
}

function generalNames(names: readonly string[]): Buffer {
  return sequence(
    ...names.map((name) =>
      isAddress(name) ? implicit(7, addressBytes(name)) : implicit(2, Buffer.from(name, 'latin1')),
    ),
  );
}

/**
 * Reports whether a name is an IP address; by the colon, because node:net takes milliseconds for its first check of an
 * IPv6 address.
 */
function isAddress(name: string): boolean {
  return name.includes(':') || isIPv4(name);
}

function addressBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.').map(Number));
  // The URL parser normalizes every form of an IPv6 address (also with a dotted tail) to hexadecimal groups.
  const url = URL.parse(`http://[${address}]`);
  if (!url) throw new ConfigError(`"${address}" is neither a host name nor an address`);
  const [head = '', tail] = url.hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const zeros = 8 - groups(head).length - groups(tail ?? '').length;
  const all = tail === undefined ? groups(head) : [...groups(head), ...Array(zeros).fill('0'), ...groups(tail)];
  return Uint8Array.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]));
}

/**
 * Returns the standard identifier of a key. It only helps to find the certificate of an issuer, so SHA-1 is good
 * enough.
 */
function keyId(publicKey: Uint8Array): Buffer {
  return createHash('sha1').update(publicKey).digest();
}
