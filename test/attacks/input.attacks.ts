import { Agent, request } from 'undici';
import { describe, expect, it } from 'vitest';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackTarget, AttackTargetSource } from './support/attack-target.ts';

const THINGS = '/apis/attack.example/v1/namespaces/default/things';
const TYPE = '"apiVersion":"attack.example/v1","kind":"Thing"';

/** Attacks with values that a server could take for others. */
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
      ])('is not stored as something else: %s', async (_written, value) => {
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

      it('is text where it stands in quotes', async () => {
        await prepare(target());
        const { status, body } = await target().admin.send('POST', THINGS, { body: thing('quoted', '"1e400"') });
        expect([status, (body as { spec: unknown }).spec]).toEqual([201, { a: '1e400' }]);
      });
    });

    describe('the token of a ServiceAccount', () => {
      it('counts in its one spelling alone', async () => {
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

/** A kind that takes anything. */
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
