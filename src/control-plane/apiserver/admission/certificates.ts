import { binaryFromBase64 } from '#platform/base/base64';
import { invalid as invalidField } from '#platform/base/field-error';
import { goQuote } from '#platform/base/go-value';
import { jsonEqual } from '#platform/base/json-equal';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Authorize } from '../access/attributes.ts';
import { MASTERS, type User } from '../access/user.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import { invalid } from '../api-error.ts';
import type { ServerHost } from '../host.ts';
import { admissionDenial } from './denial.ts';

interface SigningRequest extends KubeObject {
  spec: { signerName?: string; request?: string };
  status?: { certificate?: string; conditions?: readonly unknown[] };
}

const GROUP = 'certificates.k8s.io';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

function isFor(
  { resource, subresource, operation }: AdmissionAttributes,
  desired: AdmissionAttributes['operation'],
  part: string,
): boolean {
  return (
    resource.plural === 'certificatesigningrequests' &&
    resource.group === GROUP &&
    operation === desired &&
    subresource === part
  );
}

/** Reports whether a user has a permission on a signer, or on all signers of its domain. */
function maySign(authorize: Authorize, user: User, verb: string, signerName: string): boolean {
  const may = (name: string) => authorize({ user, verb, group: GROUP, resource: 'signers', name }).allowed;
  return may(signerName) || may(`${signerName.split('/')[0]}/*`);
}

/** Requires permission for the signer to approve a certificate request. */
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

/** Requires permission for the signer to sign a certificate request or to mark it as failed. */
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

/** Rejects requests to the kube-apiserver-client signer for the group system:masters. */
export function certificateSubjectRestriction(read: ServerHost['requestedOrganizations']): AdmissionPlugin {
  return {
    name: 'CertificateSubjectRestriction',
    validate(write) {
      // Every write passes here, so only certificate requests are asynchronous.
      return isFor(write, 'CREATE', '') ? checkSubject(write, read) : undefined;
    },
  };
}

async function checkSubject(write: AdmissionAttributes, read: ServerHost['requestedOrganizations']): Promise<void> {
  const { signerName, request = '' } = (write.object as SigningRequest).spec;
  const organizations = await read(binaryFromBase64(request));
  if (organizations === undefined) {
    const cause = invalidField('spec.request', request, 'must be one certificate request, signed by its own key');
    throw invalid(write.resource, write.name, [cause]);
  }
  if (signerName !== CLIENT_SIGNER || !organizations.includes(MASTERS)) return;
  throw admissionDenial(write, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
}
