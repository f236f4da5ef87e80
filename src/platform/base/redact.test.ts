import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redact, redactFields, redactText } from './redact.ts';

const SECRET = 'hunter2-do-not-print';

describe('redact', () => {
  test.each([
    'token',
    'accessToken',
    'id-token',
    'refresh_token',
    'password',
    'adminPassword',
    'passwd',
    'secret',
    'clientSecret',
    'client_secret',
    'Authorization',
    'proxy-authorization',
    'client-key-data',
    'clientKeyData',
    'client-certificate-data',
    'private_key',
    'kubeconfig',
    'stringData',
    'Set-Cookie',
    'cookie',
    'apiKey',
    'auth-provider',
    'credentials',
    'kubectl.kubernetes.io/last-applied-configuration',
  ])('hides the value of %s, at any depth and of any type', (key) => {
    for (const value of [SECRET, [SECRET], { a: { b: SECRET } }, new Map([['x', SECRET]])]) {
      const nested = { list: [{ deep: { deeper: { [key]: value } } }], map: new Map([[key, value]]) };
      expect(JSON.stringify(redact(nested))).not.toContain(SECRET);
      expect(JSON.stringify(redactFields({ [key]: value }))).not.toContain(SECRET);
    }
    expect(JSON.stringify(redact(new Headers({ 'X-Ok': 'y', Authorization: SECRET })))).toBe(
      '{"authorization":"[redacted]","x-ok":"y"}',
    );
  });

  test.each(['name', 'secretName', 'secretRef', 'tokenExpirationSeconds', 'message', 'key', 'data'])(
    'keeps %s',
    (key) => {
      expect(redact({ [key]: 'plain' })).toEqual({ [key]: 'plain' });
    },
  );

  test('keeps booleans and missing values, which reveal nothing', () => {
    const fields = { automountServiceAccountToken: false, token: null };
    expect(redact(fields)).toEqual(fields);
  });

  test('hides the data of a Kubernetes Secret, but not of a ConfigMap', () => {
    const secret = { kind: 'Secret', metadata: { name: 's' }, data: { a: SECRET }, stringData: { b: SECRET } };
    expect(redact({ object: secret })).toEqual({
      object: { kind: 'Secret', metadata: { name: 's' }, data: '[redacted]', stringData: '[redacted]' },
    });
    expect(redactFields(secret)['data']).toBe('[redacted]');
    expect(redact({ kind: 'ConfigMap', data: { a: 'b' } })).toEqual({ kind: 'ConfigMap', data: { a: 'b' } });
  });

  test('hides the users of a kubeconfig, but not its servers', () => {
    const config = {
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443' } }],
      users: [{ name: 'u', user: { token: SECRET, 'client-key-data': SECRET, password: SECRET } }],
    };
    const text = JSON.stringify(redact(config));
    expect(text).not.toContain(SECRET);
    expect(text).toContain('https://127.0.0.1:6443');
  });

  test('hides the secrets of any object', () => {
    const key = fc.constantFrom('token', 'a', 'b', 'password', 'x-token', 'list');
    const tree = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
      leaf: fc.oneof(fc.integer(), fc.constant('plain')),
      tree: fc.oneof({ maxDepth: 4 }, tie('leaf'), fc.array(tie('tree')), fc.dictionary(key, tie('tree'))),
    })).tree;
    const plant = (value: unknown, hidden: boolean): unknown => {
      if (Array.isArray(value)) return value.map((item) => plant(item, hidden));
      if (typeof value !== 'object' || value === null) return hidden ? SECRET : value;
      return Object.fromEntries(
        Object.entries(value).map(([k, v]) => [k, plant(v, hidden || /token|password/.test(k))]),
      );
    };
    fc.assert(
      fc.property(tree, (value) => {
        expect(JSON.stringify(redact(plant(value, false))) ?? '').not.toContain(SECRET);
      }),
    );
  });

  test('converts every value to plain data', () => {
    const circular: Record<string, unknown> = { name: 'a' };
    circular['self'] = circular;
    const shared = { n: 1 };
    expect(redact({ circular, twice: [shared, shared] })).toEqual({
      circular: { name: 'a', self: '[circular]' },
      twice: [{ n: 1 }, { n: 1 }],
    });
    expect(
      redact({
        big: 2n ** 64n,
        date: new Date(0),
        bytes: new Uint8Array(3),
        set: new Set([1]),
        fn: () => {},
        symbol: Symbol('s'),
        nothing: undefined,
      }),
    ).toEqual({
      big: '18446744073709551616',
      date: '1970-01-01T00:00:00.000Z',
      bytes: '[3 bytes]',
      set: [1],
      fn: '[function]',
      symbol: 'Symbol(s)',
      nothing: undefined,
    });
  });

  test('handles values that throw or never end', () => {
    const bad = {
      get x() {
        throw new Error('no');
      },
    };
    expect(redact({ bad })).toEqual({ bad: { x: '[unreadable: no]' } });
    expect(redactFields(bad)).toEqual({ x: '[unreadable: no]' });
    expect(
      redact({
        toJSON: () => {
          throw new Error('no');
        },
      }),
    ).toBe('[unreadable: no]');
    let deep: unknown = 'bottom';
    for (let i = 0; i < 1000; i++) deep = { deep };
    expect(JSON.stringify(redact(deep))).toContain('[too deep]');
  });

  test('keeps stack, fields and causes of errors, without secrets', () => {
    const root = new Error(`refused: Bearer ${SECRET}`);
    const error = Object.assign(new TypeError('failed', { cause: root }), { code: 'E1', token: SECRET });
    const plain = redact({ err: error }) as { err: Record<string, unknown> };
    expect(plain.err).toMatchObject({
      name: 'TypeError',
      message: 'failed',
      code: 'E1',
      token: '[redacted]',
      stack: expect.stringContaining('redact.test.ts'),
      cause: { name: 'Error', message: 'refused: Bearer [redacted]' },
    });
    expect(JSON.stringify(plain)).not.toContain(SECRET);
    const all = redact(new AggregateError([new Error('a'), 'b'], 'all')) as { errors: unknown[] };
    expect(all.errors).toMatchObject([{ message: 'a' }, 'b']);
  });
});

describe('redactText', () => {
  test.each([
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer [redacted]'],
    ['basic dXNlcjpwYXNz end', 'basic [redacted] end'],
    ['token eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.c2ln here', 'token [redacted] here'],
    ['GET https://admin:pa55@host:6443/x', 'GET https://[redacted]@host:6443/x'],
    ['a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b', 'a [redacted] b'],
    ['-----BEGIN PRIVATE KEY-----\nMII cut off', '[redacted]'],
    ['https://host:6443/api?x=1 the bearer of news', 'https://host:6443/api?x=1 the bearer of news'],
  ])('converts %j to %j', (text, clean) => {
    expect(redactText(text)).toBe(clean);
  });
});
