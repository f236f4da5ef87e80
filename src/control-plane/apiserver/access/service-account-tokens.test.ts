import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSigningKey, readJwt, type SigningKey, signJwt } from './jwt.ts';
import type { TokenSubject } from './service-account-claims.ts';
import { ServiceAccountTokens, type StoredObject } from './service-account-tokens.ts';

const START = Date.UTC(2026, 10, 15);
const ISSUER = 'https://kubernetes.default.svc';
const bob: TokenSubject = { namespace: 'acc', serviceAccount: { name: 'bob', uid: 'u1' } };
const hour = { expirationSeconds: 3600 };

let directory: string;
let key: SigningKey;
let now: number;
let objects: Map<string, StoredObject>;
let tokens: ServiceAccountTokens;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tokens-'));
  key = openSigningKey(join(directory, 'sa.key'));
});
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => {
  now = START;
  objects = new Map([['ServiceAccount/acc/bob', { uid: 'u1' }]]);
  tokens = makeTokens(key);
});

function makeTokens(signer: SigningKey, issuer?: string): ServiceAccountTokens {
  let count = 0;
  return new ServiceAccountTokens({
    key: signer,
    ...(issuer ? { issuer } : {}),
    clock: { now: () => now },
    uuid: () => `id-${++count}`,
    lookup: (kind, namespace, name) => objects.get(`${kind}/${namespace}/${name}`),
  });
}

describe('a token', () => {
  test('has the claims of Kubernetes 1.36, in the same order', () => {
    const subject = { ...bob, pod: { name: 'p1', uid: 'u2' }, node: { name: 'n1', uid: 'u3' } };
    const { token } = tokens.issue(subject, { expirationSeconds: 31_536_000, warnAfterSeconds: 3607 });
    const jwt = readJwt(token);
    const seconds = START / 1000;
    expect(jwt?.header).toEqual({ alg: 'ES256', kid: key.id });
    expect(JSON.stringify(jwt?.claims)).toBe(
      JSON.stringify({
        aud: [ISSUER],
        exp: seconds + 31_536_000,
        iat: seconds,
        iss: ISSUER,
        jti: 'id-1',
        'kubernetes.io': {
          namespace: 'acc',
          node: { name: 'n1', uid: 'u3' },
          pod: { name: 'p1', uid: 'u2' },
          serviceaccount: { name: 'bob', uid: 'u1' },
          warnafter: seconds + 3607,
        },
        nbf: seconds,
        sub: 'system:serviceaccount:acc:bob',
      }),
    );
  });

  test('authenticates the account with its groups and bound objects', async () => {
    objects.set('Pod/acc/p1', { uid: 'u2' });
    const subject = { ...bob, pod: { name: 'p1', uid: 'u2' }, node: { name: 'n1' } };
    expect(await tokens.verify(tokens.issue(subject, hour).token)).toMatchObject({
      user: {
        name: 'system:serviceaccount:acc:bob',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:acc', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': ['JTI=id-1'],
          'authentication.kubernetes.io/node-name': ['n1'],
          'authentication.kubernetes.io/pod-name': ['p1'],
          'authentication.kubernetes.io/pod-uid': ['u2'],
        },
      },
      audiences: [ISSUER],
    });
  });

  test('can be verified with the published key', () => {
    const { token } = tokens.issue(bob, hour);
    const [jwk] = tokens.jwks().keys;
    expect(jwk).toMatchObject({ use: 'sig', kty: 'EC', kid: key.id, alg: 'ES256', crv: 'P-256' });
    expect(jwk).not.toHaveProperty('d');
    const published = createPublicKey({ key: jwk ?? {}, format: 'jwk' });
    const [head, body, signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const how = { key: published, dsaEncoding: 'ieee-p1363' as const };
    expect(verify('sha256', Buffer.from(`${head}.${body}`), how, bytes)).toBe(true);
  });

  test('is described by the discovery document', () => {
    expect(tokens.openidConfiguration('https://127.0.0.1:6443/')).toEqual({
      issuer: ISSUER,
      jwks_uri: 'https://127.0.0.1:6443/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
  });
});

/** These problems have the wording of kube-apiserver v1.36.3 if a TokenReview shows them. */
describe('a token is rejected', () => {
  const problem = async (token: string, audiences?: string[]): Promise<unknown> => {
    const found = await tokens.verify(token, audiences);
    return found && 'problem' in found ? found.problem : found;
  };

  test('for another audience', async () => {
    const { token } = tokens.issue(bob, { ...hour, audiences: ['zz'] });
    expect(await problem(token)).toBe(
      'token audiences ["zz"] is invalid for the target audiences ["https://kubernetes.default.svc"]',
    );
    expect(await tokens.verify(token, ['yy', 'zz'])).toMatchObject({ audiences: ['zz'] });
  });

  test('after it expired, with a minute of tolerated clock skew, even if it was valid before', async () => {
    const { token } = tokens.issue(bob, hour);
    now += 3_660_000;
    expect(await tokens.verify(token)).toHaveProperty('user');
    now += 1;
    expect(await problem(token)).toBe('service account token has expired');
  });

  test('before it becomes valid', async () => {
    const { token } = tokens.issue(bob, hour);
    now -= 61_000;
    expect(await problem(token)).toBe('service account token is not valid yet');
  });

  test('as soon as the account is deleted, even if it was valid before', async () => {
    const { token } = tokens.issue(bob, hour);
    expect(await tokens.verify(token)).toHaveProperty('user');
    objects.clear();
    expect(await problem(token)).toBe('serviceaccounts "bob" not found');
    objects.set('ServiceAccount/acc/bob', { uid: 'u9' });
    expect(await problem(token)).toBe('service account UID (u9) does not match claim (u1)');
    objects.set('ServiceAccount/acc/bob', { uid: 'u1', deletedAt: now - 60_001 });
    expect(await problem(token)).toBe('service account acc/bob has been deleted');
    objects.set('ServiceAccount/acc/bob', { uid: 'u1', deletedAt: now - 59_000 });
    expect(await tokens.verify(token)).toHaveProperty('user');
  });

  test.each([
    ['Secret', 'acc', 'secret'],
    ['Pod', 'acc', 'pod'],
    ['Node', '', 'node'],
  ])('if its %s was deleted or replaced', async (kind, namespace, field) => {
    const { token } = tokens.issue({ ...bob, [field]: { name: 'x', uid: 'u5' } }, hour);
    const gone = 'service account token has been invalidated';
    expect(await problem(token)).toBe(gone);
    objects.set(`${kind}/${namespace}/x`, { uid: 'u5' });
    expect(await tokens.verify(token)).toHaveProperty('user');
    objects.set(`${kind}/${namespace}/x`, { uid: 'u6' });
    expect(await problem(token)).toBe(`${field} UID (u6) does not match service account ${field} ref claim (u5)`);
    objects.set(`${kind}/${namespace}/x`, { uid: 'u5', deletedAt: now - 60_001 });
    expect(await problem(token)).toBe(gone);
  });

  test('if any part of it was changed', async () => {
    const { token } = tokens.issue(bob, hour);
    const at = fc.integer({ min: 0, max: token.length - 1 });
    await fc.assert(
      fc.asyncProperty(at, fc.constantFrom('A', 'b', '_', '.', '9'), async (index, char) => {
        const changed = token.slice(0, index) + char + token.slice(index + 1);
        fc.pre(changed !== token && !sameBytes(changed, token));
        expect((await tokens.verify(changed)) ?? { problem: 'not ours' }).toHaveProperty('problem');
      }),
    );
  });

  test('if it is unsigned, or signed by another key', async () => {
    const other = openSigningKey(join(directory, 'other.key'));
    const { token } = makeTokens(other).issue(bob, hour);
    const [, body = ''] = token.split('.');
    expect(await problem(token)).toBe('the signature of the token is not valid');
    for (const header of [{ alg: 'none' }, { alg: 'HS256', kid: key.id }, { alg: 'ES256', kid: key.id, crit: ['x'] }]) {
      const head = Buffer.from(JSON.stringify(header)).toString('base64url');
      expect(await problem(`${head}.${body}.`)).toBe('the signature of the token is not valid');
    }
  });

  test('if its claims are not those of a service account', async () => {
    const odd = signJwt(key, {
      iss: ISSUER,
      sub: 'system:serviceaccount:acc:bob',
      exp: 1e10,
      nbf: 0,
      iat: 0,
      aud: [ISSUER],
    });
    expect(await problem(odd)).toBe('the claims of the token are not those of a service account');
    const { token } = tokens.issue(bob, hour);
    const claims = readJwt(token)?.claims ?? {};
    const other = signJwt(key, { ...claims, sub: 'system:serviceaccount:acc:root' });
    expect(await problem(other)).toBe('the claims of the token are not those of a service account');
  });

  test('without a message if it is of another issuer, or not a token', async () => {
    const { token } = makeTokens(key, 'https://elsewhere').issue(bob, hour);
    for (const text of [token, '', 'x', 'a.b', 'a.b.c', 'a.b.c.d', '..']) {
      expect(await tokens.verify(text)).toBeUndefined();
    }
  });

  test('without repeating the token in the message', async () => {
    const { token } = tokens.issue(bob, { ...hour, audiences: ['zz'] });
    expect(String(await problem(token))).not.toContain(token.slice(0, 12));
  });
});

/** Reports whether two texts spell the same bytes: base64 has unused bits at the end of each part. */
function sameBytes(a: string, b: string): boolean {
  const bytes = (text: string) =>
    text
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('hex'))
      .join('.');
  return bytes(a) === bytes(b);
}

describe('the signing key', () => {
  test('is stored in a file that only its owner can read, and read again', () => {
    const file = join(directory, 'sa.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(openSigningKey(file).id).toBe(key.id);
  });

  test('may be an RSA key', async () => {
    const file = join(directory, 'rsa.key');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const rsa = makeTokens(openSigningKey(file));
    expect(readJwt(rsa.issue(bob, hour).token)?.header['alg']).toBe('RS256');
    expect(await rsa.verify(rsa.issue(bob, hour).token)).toHaveProperty('user');
    expect(await tokens.verify(rsa.issue(bob, hour).token)).toHaveProperty('problem');
  });

  test('of another type, or missing, is rejected with the name of its file', () => {
    const file = join(directory, 'bad.key');
    writeFileSync(file, 'nothing');
    expect(() => openSigningKey(file)).toThrow('bad.key is not a private key');
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect(() => openSigningKey(file)).toThrow('bad.key must contain a P-256 or RSA private key');
  });
});
