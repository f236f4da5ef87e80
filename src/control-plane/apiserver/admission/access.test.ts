import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator, X509CertificateGenerator } from '@peculiar/x509';
import { describe, expect, test } from 'vitest';
import { AUTHENTICATED } from '../access/user.ts';
import { type Cluster, testCluster } from './chain.fixture.ts';

const USER = { name: 'u', groups: [AUTHENTICATED] };
const RBAC = 'rbac.authorization.k8s.io';

async function grant(cluster: Cluster, rules: object[]): Promise<void> {
  await cluster.create(`clusterroles.${RBAC}`, { metadata: { name: 'r' }, rules });
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'r' };
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: 'u' }];
  await cluster.create(`clusterrolebindings.${RBAC}`, { metadata: { name: 'b' }, roleRef, subjects });
}

describe('permissions that the writer lacks cannot be granted', () => {
  const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
  const role = { metadata: { name: 'mine' }, rules: [secrets] };

  test('in a role', async () => {
    const cluster = await testCluster();
    await grant(cluster, []);
    const { message, code } = await cluster.refused(cluster.create(`clusterroles.${RBAC}`, role, { user: USER }));
    expect([code, message]).toEqual([
      403,
      'clusterroles.rbac.authorization.k8s.io "mine" is forbidden: user "u" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    ]);
  });

  test('by a binding, whose role must exist', async () => {
    const cluster = await testCluster();
    await cluster.create(`clusterroles.${RBAC}`, role);
    const bind = (kind: string, name: string) =>
      cluster.create(
        `rolebindings.${RBAC}/x`,
        { metadata: { name: 'b' }, roleRef: { apiGroup: RBAC, kind, name }, subjects: [] },
        { user: USER },
      );
    expect((await cluster.refused(bind('ClusterRole', 'mine'))).message).toContain('Resources:["secrets"]');
    expect((await cluster.refused(bind('Role', 'nope'))).message).toBe(`rolebindings.${RBAC} "nope" not found`);
    await grant(cluster, [secrets]);
    await expect(bind('ClusterRole', 'mine')).resolves.toBeDefined();
  });
});

describe('certificate requests', () => {
  const request = async (name: string) => {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const made = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm }, webcrypto);
    return Buffer.from(made.toString('pem')).toString('base64');
  };
  const certificate = async () => {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const parts = { name: 'CN=x', keys, signingAlgorithm: algorithm, serialNumber: '01' };
    const made = await X509CertificateGenerator.createSelfSigned(parts, webcrypto);
    return Buffer.from(made.toString('pem')).toString('base64');
  };
  const CSR = 'certificatesigningrequests.certificates.k8s.io';
  const requested = async (signerName: string, subject: string) => ({
    metadata: { name: 'c' },
    spec: { signerName, usages: ['client auth'], request: await request(subject) },
  });

  test('cannot request membership in system:masters', async () => {
    const cluster = await testCluster();
    const signer = 'kubernetes.io/kube-apiserver-client';
    const { message } = await cluster.refused(cluster.create(CSR, await requested(signer, 'O=system:masters, CN=x')));
    expect(message).toBe(`${CSR} "c" is forbidden: use of ${signer} signer with system:masters group is not allowed`);
    await expect(cluster.create(CSR, await requested(signer, 'O=others, CN=x'))).resolves.toBeDefined();
  });

  test('contain exactly one request, because signers read only the first', async () => {
    const cluster = await testCluster();
    const { spec, ...rest } = await requested('example.com/foo', 'CN=x');
    const twice = Buffer.from(spec.request, 'base64').toString('latin1').repeat(2);
    const both = { ...rest, spec: { ...spec, request: Buffer.from(twice).toString('base64') } };
    expect((await cluster.refused(cluster.create(CSR, both))).message).toContain('must be one certificate request');
  });

  test('are approved and signed only with permission for their signer', async () => {
    const cluster = await testCluster();
    await cluster.create(CSR, await requested('example.com/foo', 'CN=x'));
    const user = { user: USER };
    const approval = { status: { conditions: [{ type: 'Approved', status: 'True' }] } };
    const approve = () => cluster.patch(`${CSR}/c/approval`, approval, user);
    const signed = { status: { certificate: await certificate() } };
    const sign = () => cluster.patch(`${CSR}/c/status`, signed, user);
    const rejected = (verb: string) =>
      `${CSR} "c" is forbidden: user not permitted to ${verb} requests with signerName "example.com/foo"`;
    expect((await cluster.refused(approve())).message).toBe(rejected('approve'));
    expect((await cluster.refused(sign())).message).toBe(rejected('sign'));
    const verbs = ['approve', 'sign'];
    await grant(cluster, [
      { apiGroups: ['certificates.k8s.io'], resources: ['signers'], resourceNames: ['example.com/*'], verbs },
    ]);
    await expect(approve()).resolves.toBeDefined();
    await expect(sign()).resolves.toBeDefined();
  });
});
