import { webcrypto } from 'node:crypto';
import { invalid as invalidField } from '#platform/base/field-error';
import { goQuote } from '#platform/base/go-value';
import { jsonEqual } from '#platform/base/json-equal';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Authorize } from '../access/attributes.ts';
import { MASTERS, type User } from '../access/user.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import { invalid } from '../api-error.ts';
import { admissionDenial } from './denial.ts';

interface SigningRequest extends KubeObject {
  spec: { signerName?: string; request?: string };
  status?: { certificate?: string; conditions?: readonly unknown[] };
}

const GROUP = 'certificates.k8s.io';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

function isFor(
  { resource, subresource, operation }: AdmissionAttributes,
  wanted: AdmissionAttributes['operation'],
  part: string,
): boolean {
  return (
    resource.plural === 'certificatesigningrequests' &&
    resource.group === GROUP &&
    operation === wanted &&
    subresource === part
  );
}

/** Whether a user may do something with the requests to a signer, or to all signers of its domain. */
function maySign(authorize: Authorize, user: User, verb: string, signerName: string): boolean {
  const may = (name: string) => authorize({ user, verb, group: GROUP, resource: 'signers', name }).allowed;
  return may(signerName) || may(`${signerName.split('/')[0]}/*`);
}

/** Approving a request is granted per signer. */
export function certificateApproval(authorize: Authorize): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    validate(write) {
      if (!isFor(write, 'UPDATE', 'approval')) return;
      const { signerName = '' } = (write.old as SigningRequest).spec;
      if (maySign(authorize, write.call.user, 'approve', signerName)) return;
      throw admissionDenial(write, `user not permitted to approve requests with signerName ${goQuote(signerName)}`);
    },
  };
}

/** So is signing it, or saying that it failed. */
export function certificateSigning(authorize: Authorize): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    validate(write) {
      if (!isFor(write, 'UPDATE', 'status')) return;
      const [before, after] = [write.old as SigningRequest, write.object as SigningRequest];
      const same = (before.status?.certificate ?? '') === (after.status?.certificate ?? '');
      if (same && jsonEqual(before.status?.conditions, after.status?.conditions)) return;
      const { signerName = '' } = before.spec;
      if (maySign(authorize, write.call.user, 'sign', signerName)) return;
      throw admissionDenial(write, `user not permitted to sign requests with signerName ${goQuote(signerName)}`);
    },
  };
}

/** Nobody becomes a member of the group that may do everything by asking for a certificate. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  validate(write) {
    // Every write comes along here: only what must wait does.
    return isFor(write, 'CREATE', '') ? checkSubject(write) : undefined;
  },
};

async function checkSubject(write: AdmissionAttributes): Promise<void> {
  const { signerName, request = '' } = (write.object as SigningRequest).spec;
  const organizations = await requestedOrganizations(Buffer.from(request, 'base64').toString('latin1'));
  if (organizations === undefined) {
    const cause = invalidField('spec.request', request, 'must be one certificate request, signed by its own key');
    throw invalid(write.resource, write.name, [cause]);
  }
  if (signerName !== CLIENT_SIGNER || !organizations.includes(MASTERS)) return;
  throw admissionDenial(write, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
}

/**
 * The groups that a certificate request asks for; undefined where the text is not exactly one request that can be read
 * and is signed by its own key: a signer may read another request in it, or certify somebody else's key.
 */
async function requestedOrganizations(pem: string): Promise<readonly string[] | undefined> {
  if ((pem.match(/-----BEGIN /g) ?? []).length !== 1) return undefined;
  // Loaded when the first request comes along: it would take a fifth of the time to start.
  await import('reflect-metadata');
  const { Pkcs10CertificateRequest } = await import('@peculiar/x509');
  try {
    const read = new Pkcs10CertificateRequest(pem.slice(pem.indexOf('-----BEGIN ')));
    return (await read.verify(webcrypto)) ? read.subjectName.getField('O') : undefined;
  } catch {
    return undefined;
  }
}
