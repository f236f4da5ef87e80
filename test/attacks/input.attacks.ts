import { Agent, request } from 'undici';
import { describe, expect, it } from 'vitest';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackTarget, AttackTargetSource } from './support/attack-target.ts';

const THINGS = '/apis/attack.example/v1/namespaces/default/things';
const TYPE = '"apiVersion":"attack.example/v1","kind":"Thing"';

/** Attacks with values that a server could misinterpret. */
export function inputAttacks(source: AttackTargetSource): void {
  attackSuite('input', source, (target) => {
    describe('a number that is too large', () => {
      const thing = (name: string, value: string) => `{${TYPE},"metadata":{"name":"${name}"},"spec":{"a":${value}}}`;

      it.each([
        ['1e400', '1e400'],
        ['-1e400', '-1e400'],
        ['1E+309', '1E+309'],
        ['400 digits', '9'.repeat(400)],
        ['400 digits and a half', `${'9'.repeat(400)}.5`],
      ])('is not stored as another value: %s', async (_written, value) => {
        await prepare(target());
        const { admin } = target();
        const post = await admin.send('POST', THINGS, { body: thing('large', value) });
        expect(post.status).toBe(400);
        const path = `${THINGS}/patched`;
        await admin.send('POST', THINGS, { body: thing('patched', '1') });
        const patches = [
          ['application/merge-patch+json', `{"spec":{"a":${value}}}`],
          ['application/json-patch+json', `[{"op":"add","path":"/spec/a","value":${value}}]`],
        ] as const;
        for (const [contentType, body] of patches) {
          const response = await admin.send('PATCH', path, { contentType, body });
          expect(response.status).toBe(400);
          const problem = `error decoding patch: json: cannot unmarshal number ${value} into Go `;
          expect((response.body as { message: string }).message).toContain(problem);
        }
        const { body } = await admin.send('GET', path);
        expect((body as { spec: unknown }).spec).toEqual({ a: 1 });
      });

      it('is text if it is quoted', async () => {
        await prepare(target());
        const { status, body } = await target().admin.send('POST', THINGS, { body: thing('quoted', '"1e400"') });
        expect([status, (body as { spec: unknown }).spec]).toEqual([201, { a: '1e400' }]);
      });
    });

    describe('a 64-bit integer', () => {
      it.each(['9007199254740993', '9223372036854775807', '-9223372036854775808', '4611686018427387904'])(
        'never returns with other digits: %s',
        async (value) => {
          await prepare(target());
          const { admin } = target();
          const name = `digits-${value.replace('-', 'minus-')}`;
          const path = `${THINGS}/${name}`;
          const thing = (a: string) => `{${TYPE},"metadata":{"name":"${name}"},"spec":{"a":${a}}}`;
          const yaml = `apiVersion: attack.example/v1\nkind: Thing\nmetadata: {name: ${name}}\nspec: {a: ${value}}\n`;
          const attempts = [
            ['POST', THINGS, 'application/json', thing(value)],
            ['POST', THINGS, 'application/yaml', yaml],
            ['PATCH', path, 'application/merge-patch+json', `{"spec":{"a":${value}}}`],
            ['PATCH', path, 'application/json-patch+json', `[{"op":"add","path":"/spec/a","value":${value}}]`],
            ['PATCH', `${path}?fieldManager=a&force=true`, 'application/apply-patch+yaml', thing(value)],
            ['PATCH', `${path}?fieldManager=a&force=true`, 'application/apply-patch+yaml', yaml],
          ] as const;
          for (const [method, where, contentType, body] of attempts) {
            await admin.send('DELETE', path);
            if (method === 'PATCH') await admin.must('POST', THINGS, { body: thing('1') });
            const { status, text } = await raw(target(), method, where, contentType, body);
            // Our server cannot represent the number and reports that.
            if (status === 400) expect(text).toContain(`cannot keep all digits of ${value}`);
            else expect(text).toContain(`"spec":{"a":${value}}`);
          }
        },
      );

      it.each(['9007199254740991', '-9007199254740991', '9007199254740994', '1e18', '"9007199254740993"'])(
        'is preserved if possible: %s',
        async (value) => {
          await prepare(target());
          const name = `exact-${value.replaceAll(/\W/g, 'x')}`;
          const body = `{${TYPE},"metadata":{"name":"${name}"},"spec":{"a":${value}}}`;
          const { status, text } = await raw(target(), 'POST', THINGS, 'application/json', body);
          expect([status, text]).toEqual([201, expect.stringMatching(`"a":${value === '1e18' ? '10{18}' : value}`)]);
        },
      );

      it('may be a bound of a schema, which is rounded', async () => {
        const schema = '{"type":"object","properties":{"a":{"type":"integer","maximum":9223372036854775807}}}';
        const versions = `[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}]`;
        const spec = `{"group":"attack.example","scope":"Namespaced","names":{"plural":"bounds","kind":"Bound"},"versions":${versions}}`;
        const body = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"bounds.attack.example"},"spec":${spec}}`;
        const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
        expect((await target().admin.send('POST', path, { body })).status).toBe(201);
      });
    });

    it.each([
      ['0o17', 15],
      ['-0o17', -15],
      ['0O17', 15],
      ['0o1_7', 15],
      ['0o8', '0o8'],
      ['0o', '0o'],
      ['0o1777777777777777777777', 2 ** 64],
      ['"0o17"', '0o17'],
      ['!!str 0o17', '0o17'],
      ['017', 15],
    ])('YAML is parsed as in Kubernetes: %s', async (written, value) => {
      await prepare(target());
      const name = `octal-${Buffer.from(written).toString('hex')}`;
      const body = `apiVersion: attack.example/v1\nkind: Thing\nmetadata: {name: ${name}}\nspec: {a: ${written}}\n`;
      const { status, body: made } = await target().admin.send('POST', THINGS, {
        body,
        contentType: 'application/yaml',
      });
      expect([status, (made as { spec?: unknown }).spec]).toEqual([201, { a: value }]);
    });

    it('a claim is never populated from another namespace', async () => {
      const path = '/api/v1/namespaces/default/persistentvolumeclaims';
      const dataSourceRef = { apiGroup: 'attack.example', kind: 'Thing', name: 'secret', namespace: 'kube-system' };
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, dataSourceRef };
      const { status, body } = await target().admin.send('POST', path, {
        body: { metadata: { name: 'foreign' }, spec },
      });
      expect(status).toBe(201);
      expect((body as { spec: object }).spec).not.toHaveProperty('dataSourceRef');
      expect((body as { spec: object }).spec).not.toHaveProperty('dataSource');
    });

    describe('the token of a ServiceAccount', () => {
      it('is valid only in its canonical spelling', async () => {
        const { admin, url, caPem } = target();
        const account = '/api/v1/namespaces/default/serviceaccounts';
        await admin.send('POST', account, { body: { metadata: { name: 'spelled' } } });
        const issued = await admin.must('POST', `${account}/spelled/token`, {
          body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
        });
        const { token } = (issued as { status: { token: string } }).status;
        const [head = '', claims = '', signature = ''] = token.split('.');
        const agent = new Agent({ connect: { ca: caPem }, allowH2: false });
        const statusWith = async (spelled: string) => {
          const headers = { authorization: `Bearer ${spelled}` };
          const response = await request(new URL('/version', url), { dispatcher: agent, headers });
          await response.body.dump();
          return response.statusCode;
        };
        expect(await statusWith(token)).toBe(200);
        const others = [
          `${token}=`,
          `${token}==`,
          `${head}=.${claims}.${signature}`,
          `${head}.${claims}=.${signature}`,
          `${head}.${claims}.${signature}!`,
          `${head}.${claims}.${signature}.`,
          `${head}.${claims}.`,
          `.${claims}.${signature}`,
        ];
        const found: number[] = [];
        for (const other of others) found.push(await statusWith(other));
        expect(found).toEqual(others.map(() => 401));
        await agent.close();
      });
    });
  });
}

/** Sends a request and reads its response as raw bytes. */
async function raw(
  target: AttackTarget,
  method: 'POST' | 'PATCH',
  path: string,
  contentType: string,
  body: string,
): Promise<{ status: number; text: string }> {
  const { url, caPem: ca } = target;
  const { certPem: cert, keyPem: key } = target.certificate('attack-admin', ['system:masters']);
  const agent = new Agent({ connect: { ca, cert, key }, allowH2: false });
  try {
    const headers = { 'content-type': contentType, accept: 'application/json' };
    const response = await request(new URL(path, url), { method, dispatcher: agent, headers, body });
    return { status: response.statusCode, text: await response.body.text() };
  } finally {
    await agent.close();
  }
}

/** A kind with a schema that accepts anything. */
async function prepare({ admin }: AttackTarget): Promise<void> {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await admin.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.attack.example' },
      spec: {
        group: 'attack.example',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    },
  });
  while ((await admin.send('GET', THINGS)).status !== 200) await new Promise((resolve) => setImmediate(resolve));
}
