import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { dirname } from 'node:path';
import { decodeUtf8 } from '#platform/base/bytes';
import { ConfigError } from '#platform/base/errors';
import { createPrivateDirectory, writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import { decodeBase64Url } from './base64url.ts';
import { readIfExists } from './read-if-exists.ts';

/** Holds a key that signs tokens, and its algorithm. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly algorithm: 'ES256' | 'RS256';
  /** ID of the key in tokens and key sets: the hash of its public part. */
  readonly id: string;
}

/** Holds a parsed token, not yet verified. */
export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** Opens the key that signs tokens, creating a P-256 one if the file does not exist; an RSA key is accepted as well. */
export function openSigningKey(file: string): SigningKey {
  return signingKey(readKey(file) ?? makeKey(file), file);
}

/** Returns a signed token. */
export function signJwt(key: SigningKey, claims: object): string {
  const signed = `${encode({ alg: key.algorithm, kid: key.id })}.${encode(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), options(key, key.privateKey)).toString('base64url')}`;
}

/** Parses a token; undefined if the text is not one. */
export function readJwt(token: string): Jwt | undefined {
  const [head, body, signature, ...rest] = token.split('.');
  if (head === undefined || body === undefined || signature === undefined || rest.length > 0) return undefined;
  const header = decode(head);
  const claims = decode(body);
  if (!header || !claims) return undefined;
  const bytes = decodeBase64Url(signature);
  if (bytes === undefined) return undefined;
  return { header, claims, signed: `${head}.${body}`, signature: bytes };
}

/**
 * Reports whether the key has signed the token. The algorithm in the token must be that of the key, never the other way
 * round.
 */
export function isSignedBy(jwt: Jwt, key: SigningKey): boolean {
  if (jwt.header['alg'] !== key.algorithm || jwt.header['crit'] !== undefined) return false;
  if (jwt.header['kid'] !== undefined && jwt.header['kid'] !== key.id) return false;
  return verify('sha256', Buffer.from(jwt.signed), options(key, key.publicKey), jwt.signature);
}

/** Returns the public part of the key for a key set (RFC 7517). */
export function jwkOf(key: SigningKey): Record<string, unknown> {
  const { kty, ...parts } = key.publicKey.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: key.id, alg: key.algorithm, ...parts };
}

function options(key: SigningKey, of: KeyObject) {
  return key.algorithm === 'ES256' ? { key: of, dsaEncoding: 'ieee-p1363' as const } : { key: of };
}

function signingKey(privateKey: KeyObject, file: string): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = privateKey;
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return { privateKey, publicKey, algorithm: 'ES256', id };
  if (type === 'rsa') return { privateKey, publicKey, algorithm: 'RS256', id };
  throw new ConfigError(`${file} must contain a P-256 or RSA private key`);
}

function readKey(file: string): KeyObject | undefined {
  const text = readIfExists(file);
  if (text === undefined) return undefined;
  try {
    return createPrivateKey(text);
  } catch {
    throw new ConfigError(`${file} is not a private key`, {
      hint: 'Restore it from a backup, or delete it to create a new one, which invalidates all issued tokens.',
    });
  }
}

function makeKey(file: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  createPrivateDirectory(dirname(file));
  writePrivateFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return privateKey;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(text: string): Record<string, unknown> | undefined {
  const bytes = decodeBase64Url(text);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(decodeUtf8(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
