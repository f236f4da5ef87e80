import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authenticator } from './authenticate.ts';
import { bearerToken, type RequestHeaders, withoutBearerProtocol } from './bearer.ts';
import { parseCsv } from './csv.ts';
import { openSigningKey } from './jwt.ts';
import { openPki, type Pki } from './pki.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { openAdminToken, readTokenFile, StaticTokens } from './static-tokens.ts';

const ISSUER = 'https://kubernetes.default.svc';
let directory: string;
let pki: Pki;
let authenticator: Authenticator;
let bobsToken: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'authn-'));
  const clock = { now: () => Date.UTC(2026, 10, 15) };
  pki = openPki({ directory, clock });
  const staticTokens = new StaticTokens();
  staticTokens.add('admintoken', { name: 'admin', uid: 'admin', groups: ['system:masters'] });
  const serviceAccountTokens = new ServiceAccountTokens({
    key: openSigningKey(join(directory, 'sa.key')),
    clock,
    uuid: () => 'id',
    lookup: (_kind, _namespace, name) => (name === 'bob' ? { uid: 'u1' } : undefined),
  });
  const bob = { namespace: 'acc', serviceAccount: { name: 'bob', uid: 'u1' } };
  bobsToken = serviceAccountTokens.issue(bob, { expirationSeconds: 3600 }).token;
  authenticator = new Authenticator({ staticTokens, serviceAccountTokens });
});
afterAll(() => rmSync(directory, { recursive: true }));

const withToken = (token: string): RequestHeaders => ({ authorization: `Bearer ${token}` });
const certificateOf = (user: string, trusted: boolean) => ({
  value: new X509Certificate(pki.clientCertificate({ user, groups: ['dev'] }).certPem),
  trusted,
});

describe('a request', () => {
  test('without credentials, or with an unsupported scheme, is anonymous', async () => {
    const anonymous = { user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } };
    for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Basic YTpi' }]) {
      expect(await authenticator.authenticate({ headers })).toEqual(anonymous);
    }
  });

  test('with a token is authenticated as the user of the token', async () => {
    expect(await authenticator.authenticate({ headers: { authorization: 'bearer admintoken' } })).toEqual({
      user: { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] },
    });
    expect(await authenticator.authenticate({ headers: withToken(bobsToken) })).toMatchObject({
      user: { name: 'system:serviceaccount:acc:bob' },
    });
  });

  test('with an invalid token is rejected without repeating the token', async () => {
    expect(await authenticator.authenticate({ headers: withToken('wrong-secret') })).toEqual({
      refused: 'invalid bearer token',
    });
  });

  test('with a client certificate is authenticated as its subject, even if it has a token', async () => {
    const certificate = certificateOf('jane', true);
    expect(await authenticator.authenticate({ headers: withToken('wrong'), certificate })).toMatchObject({
      user: {
        name: 'jane',
        groups: ['dev', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
      },
    });
  });

  test('with a certificate of another authority is rejected, unless its token is valid', async () => {
    const certificate = certificateOf('jane', false);
    expect(await authenticator.authenticate({ headers: {}, certificate })).toHaveProperty('refused');
    expect(await authenticator.authenticate({ headers: withToken('admintoken'), certificate })).toMatchObject({
      user: { name: 'admin' },
    });
  });

  test('with a certificate without a common name is anonymous', async () => {
    expect(await authenticator.authenticate({ headers: {}, certificate: certificateOf('', true) })).toMatchObject({
      user: { name: 'system:anonymous' },
    });
  });
});

// These are the responses of kube-apiserver v1.36.3 to the same reviews.
describe('a token review', () => {
  test('accepts static tokens for the audience of the server', async () => {
    expect(await authenticator.review('admintoken')).toEqual({
      authenticated: true,
      user: { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] },
      audiences: [ISSUER],
    });
    expect(await authenticator.review('admintoken', ['other'])).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  test('returns the audiences that the token and the review have in common', async () => {
    expect(await authenticator.review(bobsToken, ['other', ISSUER])).toMatchObject({
      authenticated: true,
      audiences: [ISSUER],
    });
    expect(await authenticator.review(bobsToken, ['other'])).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["${ISSUER}"] is invalid for the target audiences ["other"]]`,
    });
  });

  test('rejects unknown tokens', async () => {
    expect(await authenticator.review('wrong')).toEqual({ user: {}, error: 'invalid bearer token' });
  });
});

describe('a bearer token', () => {
  const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from('secret').toString('base64url')}`;

  test.each<[RequestHeaders, string]>([
    [{ authorization: 'Bearer abc' }, 'abc'],
    [{ authorization: '  BEARER abc  ' }, 'abc'],
    [{ authorization: 'Bearer  abc' }, ''],
    [{ authorization: 'Bearer abc def' }, 'abc'],
    [{ authorization: 'Beareabc' }, ''],
    [{ 'sec-websocket-protocol': `${protocol}, v5.channel.k8s.io` }, 'secret'],
    [{ 'sec-websocket-protocol': `${protocol}=, v5.channel.k8s.io` }, `${protocol}=`],
    [{ 'sec-websocket-protocol': protocol }, ''],
    [{ 'sec-websocket-protocol': 'v5.channel.k8s.io' }, ''],
  ])('in %j is %j', (headers, token) => {
    expect(bearerToken(headers)).toBe(token);
  });

  test('in the WebSocket protocols is not echoed in the response', () => {
    expect(withoutBearerProtocol(`v5.channel.k8s.io,${protocol},v4.channel.k8s.io`)).toBe(
      'v5.channel.k8s.io, v4.channel.k8s.io',
    );
  });
});

describe('a token file', () => {
  test('gives users, uids and groups', () => {
    const text = 't1,jane,u1,"dev, ops"\n\n"t,2","jo""e",\r\nt3,max,u3,one\n';
    expect(readTokenFile(text, 'tokens.csv')).toEqual([
      { token: 't1', user: { name: 'jane', uid: 'u1', groups: ['dev', 'ops'] } },
      { token: 't,2', user: { name: 'jo"e', groups: [] } },
      { token: 't3', user: { name: 'max', uid: 'u3', groups: ['one'] } },
    ]);
  });

  test('with invalid lines is rejected with all of them, but without their secrets', () => {
    const text = 'secret1\nsecret2,jane,u1\n,joe,u2\n\nsecret3,,u3\n"secret4,x,y\n';
    expect(() => readTokenFile(text, 'tokens.csv')).toThrow(
      'token file tokens.csv: line 1: needs token, user name and user uid, found 1 fields; line 3: the token is empty; line 5: the user name is empty; line 6: a quote is not closed',
    );
  });

  test.each([
    ['', []],
    ['a', [['a']]],
    ['a,\n', [['a', '']]],
    ['"a\nb",c\nd', [['a\nb', 'c'], ['d']]],
    [' a , b ', [['a', 'b']]],
    ['\n\n', []],
  ])('reads %j as %j', (text, fields) => {
    expect(parseCsv(text).map((line) => line.fields)).toEqual(fields);
  });
});

describe('the token of the administrator', () => {
  test('is created once, in a file that only its owner can read', () => {
    const file = join(directory, 'more', 'admin.token');
    const token = openAdminToken(file);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(openAdminToken(file)).toBe(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is never empty', () => {
    const file = join(directory, 'empty.token');
    writeFileSync(file, '\n');
    expect(() => openAdminToken(file)).toThrow('empty.token is empty');
  });
});
