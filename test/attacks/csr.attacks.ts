import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { expect, it } from 'vitest';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackResponse, AttackTarget, AttackTargetSource, AttackUser } from './support/attack-target.ts';

const GROUP = 'certificates.k8s.io';
const REQUESTS = `/apis/${GROUP}/v1/certificatesigningrequests`;
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const SIGNER = 'attack.example/signer';
const APPROVED = { type: 'Approved', status: 'True', reason: 'Mine', message: 'by myself' };

interface SigningRequest {
  readonly spec: Record<string, unknown>;
  readonly status: { readonly conditions?: readonly unknown[]; readonly certificate?: string };
}

const requesting = [{ apiGroups: [GROUP], resources: ['certificatesigningrequests'], verbs: ['*'] }];
const writing = (part: string) => [
  { apiGroups: [GROUP], resources: [`certificatesigningrequests/${part}`], verbs: ['*'] },
];
const signing = (verb: string) => [
  { apiGroups: [GROUP], resources: ['signers'], verbs: [verb], resourceNames: [SIGNER] },
];
const messageOf = ({ body }: AttackResponse) => (body as { message: string }).message;

/** Attacks by users who may request certificates, approve them or sign them. */
export function csrAttacks(source: AttackTargetSource): void {
  attackSuite('certificate requests', source, (target) => {
    authorAttacks(target);
    statusAttacks(target);

    it('cannot request the group with all permissions', async () => {
      const mallory = await target().user('masters', { cluster: requesting });
      const signerName = 'kubernetes.io/kube-apiserver-client';
      const request = await pemRequest('O=system:masters, CN=mallory');
      const response = await post(mallory, 'masters', { signerName, request });
      expect(response.status).toBe(403);
      expect(messageOf(response)).toContain(`use of ${signerName} signer with system:masters group is not allowed`);
    });

    it('must be signed by their own key', async () => {
      const mallory = await target().user('stolen-key', { cluster: requesting });
      const request = Buffer.from(await pemRequest('CN=mallory'), 'base64').toString('latin1');
      const lines = request.trim().split('\n');
      const der = Buffer.from(lines.slice(1, -1).join(''), 'base64');
      der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
      const forged = `${lines[0]}\n${der.toString('base64')}\n${lines.at(-1)}\n`;
      const response = await post(mallory, 'stolen', { request: Buffer.from(forged).toString('base64') });
      expect(response.status).toBe(422);
    });
  });
}

function authorAttacks(target: () => AttackTarget): void {
  const forged = {
    username: 'system:node:victim',
    uid: '42',
    groups: ['system:nodes', 'system:masters'],
    extra: { 'attack.example/x': ['y'] },
  };

  it('name their real author, whatever the client claims', async () => {
    const mallory = await target().user('author', { cluster: requesting });
    const { status, body } = await post(mallory, 'forged', forged);
    expect(status).toBe(201);
    expectAuthor(mallory, body);
    const path = `${REQUESTS}/forged`;
    const patched = await mallory.send('PATCH', path, { contentType: MERGE, body: { spec: forged } });
    expectAuthor(mallory, patched.body);
    const current = (await mallory.must('GET', path)) as SigningRequest;
    const put = await mallory.send('PUT', path, { body: { ...current, spec: { ...current.spec, ...forged } } });
    expectAuthor(mallory, put.body);
  });

  it('name their real author when they are applied', async () => {
    const mallory = await target().user('applier', { cluster: requesting });
    const { body: first } = await post(mallory, 'template', {});
    const { request } = (first as SigningRequest).spec;
    const spec = { request, signerName: SIGNER, usages: ['client auth'], ...forged };
    const body = { apiVersion: `${GROUP}/v1`, kind: 'CertificateSigningRequest', metadata: { name: 'applied' }, spec };
    for (const status of [201, 200]) {
      const path = `${REQUESTS}/applied?fieldManager=m&force=true`;
      const response = await mallory.send('PATCH', path, { contentType: APPLY, body });
      expect(response.status).toBe(status);
      expectAuthor(mallory, response.body);
    }
  });

  it('name the impersonated user', async () => {
    const impersonating = [
      { apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['author'] },
    ];
    const mallory = await target().user('actor', { cluster: [...requesting, ...impersonating] });
    const spec = { request: await pemRequest('CN=x'), signerName: SIGNER, usages: ['client auth'], ...forged };
    const response = await mallory.send('POST', REQUESTS, {
      body: requestOf('acted', spec),
      headers: { 'impersonate-user': 'author' },
    });
    expect((response.body as SigningRequest).spec['username']).toBe('author');
  });
}

function expectAuthor(user: AttackUser, body: unknown): void {
  const { spec } = body as SigningRequest;
  expect(spec).toMatchObject({ username: user.name, groups: ['system:authenticated'] });
  expect(spec['uid']).toBeUndefined();
  expect(Object.keys(spec['extra'] ?? {})).toEqual(['authentication.kubernetes.io/credential-id']);
}

function statusAttacks(target: () => AttackTarget): void {
  it('are not approved by their author', async () => {
    const mallory = await target().user('self-approver', { cluster: requesting });
    const spec = { request: await pemRequest('CN=x'), signerName: SIGNER, usages: ['client auth'] };
    const status = { conditions: [APPROVED], certificate: 'eA==' };
    const created = await mallory.must('POST', REQUESTS, { body: { ...requestOf('approved', spec), status } });
    expect((created as SigningRequest).status).toEqual({});
    const patch = { contentType: MERGE, body: { status } };
    const patched = await mallory.must('PATCH', `${REQUESTS}/approved`, patch);
    expect((patched as SigningRequest).status).toEqual({});
    expect((await mallory.send('PATCH', `${REQUESTS}/approved/approval`, patch)).status).toBe(403);
    expect((await mallory.send('PATCH', `${REQUESTS}/approved/status`, patch)).status).toBe(403);
  });

  it('are approved and signed only by users with that permission for the signer', async () => {
    const rules = [...requesting, ...writing('approval'), ...writing('status')];
    const mallory = await target().user('no-signer', { cluster: rules });
    await post(mallory, 'unsigned', {});
    const body = { status: { conditions: [APPROVED] } };
    const approved = await mallory.send('PATCH', `${REQUESTS}/unsigned/approval`, { contentType: MERGE, body });
    const why = `user not permitted to approve requests with signerName "${SIGNER}"`;
    expect([approved.status, messageOf(approved)]).toEqual([
      403,
      `certificatesigningrequests.${GROUP} "unsigned" is forbidden: ${why}`,
    ]);
    const failed = { status: { conditions: [{ type: 'Failed', status: 'True' }] } };
    const signed = await mallory.send('PATCH', `${REQUESTS}/unsigned/status`, { contentType: MERGE, body: failed });
    expect(messageOf(signed)).toContain(`user not permitted to sign requests with signerName "${SIGNER}"`);
  });

  it('are not approved by users who may only sign', async () => {
    const mallory = await target().user('signer', {
      cluster: [...requesting, ...writing('status'), ...signing('sign')],
    });
    await post(mallory, 'by-signer', {});
    const body = { status: { conditions: [APPROVED] } };
    const response = await mallory.send('PATCH', `${REQUESTS}/by-signer/status`, { contentType: MERGE, body });
    expect(response.status).toBe(422);
    expect(messageOf(response)).toContain('updates may not add a condition of type "Approved"');
    const garbage = { status: { certificate: 'eA==' } };
    const written = await mallory.send('PATCH', `${REQUESTS}/by-signer/status`, { contentType: MERGE, body: garbage });
    expect(written.status).toBe(422);
    expect(messageOf(written)).toContain('must contain at least one CERTIFICATE PEM block');
  });

  it('are not signed by users who may only approve, and keep their decision', async () => {
    const rules = [...requesting, ...writing('approval'), ...signing('approve')];
    const mallory = await target().user('approver', { cluster: rules });
    await post(mallory, 'by-approver', {});
    const send = (status: object) =>
      mallory.send('PATCH', `${REQUESTS}/by-approver/approval`, { contentType: MERGE, body: { status } });
    const approved = await send({ conditions: [APPROVED], certificate: 'eA==' });
    expect(approved.status).toBe(200);
    expect((approved.body as SigningRequest).status.certificate).toBeUndefined();
    expect(messageOf(await send({ conditions: [] }))).toContain(
      'updates may not remove a condition of type "Approved"',
    );
    const both = await send({ conditions: [APPROVED, { ...APPROVED, type: 'Denied' }] });
    expect(messageOf(both)).toContain('Approved and Denied conditions are mutually exclusive');
  });
}

const requestOf = (name: string, spec: object) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec,
});

async function post(user: AttackUser, name: string, spec: object): Promise<AttackResponse> {
  const asked = { request: await pemRequest('CN=x'), signerName: SIGNER, usages: ['client auth'], ...spec };
  return await user.send('POST', REQUESTS, { body: requestOf(name, asked) });
}

async function pemRequest(subject: string): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const parts = { name: subject, keys, signingAlgorithm: algorithm };
  const made = await Pkcs10CertificateRequestGenerator.create(parts, webcrypto);
  return Buffer.from(made.toString('pem')).toString('base64');
}
