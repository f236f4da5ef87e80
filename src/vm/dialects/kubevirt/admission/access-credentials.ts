import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { type FieldError, invalid, required } from '#platform/base/field-error';

type Credential = NonNullable<InstanceSpec['accessCredentials']>[number];
type SshPublicKey = NonNullable<Credential['sshPublicKey']>;

export function validateAccessCredential(
  { accessCredentials = [], volumes = [] }: InstanceSpec,
  path: string,
): FieldError[] {
  const has = {
    noCloud: volumes.some(({ cloudInitNoCloud }) => cloudInitNoCloud !== undefined),
    configDrive: volumes.some(({ cloudInitConfigDrive }) => cloudInitConfigDrive !== undefined),
  };
  return accessCredentials.flatMap(({ sshPublicKey, userPassword }, i) => {
    const at = `${path}.accessCredentials[${i}]`;
    if ((sshPublicKey === undefined) === (userPassword === undefined)) {
      const detail = 'must have exactly one access credential type set: sshPublicKey or userPassword';
      return [sshPublicKey === undefined ? required(at, detail) : invalid(at, 'sshPublicKey, userPassword', detail)];
    }
    if (sshPublicKey !== undefined) return validateSshKey(sshPublicKey, `${at}.sshPublicKey`, has);
    const causes = validateSource(userPassword?.source, `${at}.userPassword`);
    if (userPassword?.propagationMethod.qemuGuestAgent === undefined) {
      causes.push(required(`${at}.userPassword.propagationMethod`, 'must have exactly one propagationMethod set'));
    }
    return causes;
  });
}

function validateSource(source: SshPublicKey['source'] | undefined, at: string): FieldError[] {
  return source?.secret === undefined ? [required(`${at}.source`, 'must have exactly one source set')] : [];
}

function validateSshKey(
  { source, propagationMethod }: SshPublicKey,
  at: string,
  has: { readonly noCloud: boolean; readonly configDrive: boolean },
): FieldError[] {
  const causes = validateSource(source, at);
  const field = `${at}.propagationMethod`;
  const methods = Object.keys(propagationMethod);
  if (methods.length !== 1) {
    const detail = 'must have exactly one propagationMethod set';
    causes.push(methods.length === 0 ? required(field, detail) : invalid(field, methods.join(', '), detail));
  }
  for (const method of ['noCloud', 'configDrive'] as const) {
    if (propagationMethod[method] === undefined || has[method]) continue;
    causes.push(invalid(field, method, `requires a ${method} volume to exist when it is in use`));
  }
  if (propagationMethod.qemuGuestAgent?.users.length === 0) {
    causes.push(
      required(`${field}.qemuGuestAgent.users`, 'requires at least one user to be present in the users list'),
    );
  }
  return causes;
}
