import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { type FieldError, invalid, required, tooLong } from '#platform/base/field-error';
import { exceedsBytes } from '#platform/base/utf8';

type CloudInit = NonNullable<NonNullable<InstanceSpec['volumes']>[number]['cloudInitNoCloud']>;

/** KubeVirt's limit for inline data. */
const MAX_BYTES = 2048;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Validates that user data and network data each have one form: text, base64 or a Secret. */
export function validateCloudInit(source: CloudInit, at: string, anySize: boolean): FieldError[] {
  const { userData, userDataBase64, secretRef, networkData, networkDataBase64, networkDataSecretRef } = source;
  const user = nonEmptyForms({ userData, userDataBase64, secretRef: secretRef?.name });
  const network = nonEmptyForms({ networkData, networkDataBase64, networkDataSecretRef: networkDataSecretRef?.name });
  const causes = [
    ...validateData('userData', userData, userDataBase64, at, anySize),
    ...validateData('networkData', networkData, networkDataBase64, at, anySize),
  ];
  if (user.length > 1) causes.push(invalid(at, user.join(', '), 'must have only one userdatasource set'));
  if (network.length > 1) causes.push(invalid(at, network.join(', '), 'must have only one networkdata source set'));
  if (user.length + network.length === 0) {
    causes.push(required(at, 'must have at least one userdatasource or one networkdatasource set'));
  }
  return causes;
}

/** Returns the names of the non-empty forms, since empty text counts as none. */
function nonEmptyForms(forms: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(forms).filter((form) => forms[form]);
}

function validateData(
  field: string,
  text: string | undefined,
  base64: string | undefined,
  at: string,
  anySize: boolean,
): FieldError[] {
  const causes: FieldError[] = [];
  if (!anySize && text !== undefined && exceedsBytes(text, MAX_BYTES)) {
    causes.push(tooLong(`${at}.${field}`, MAX_BYTES));
  }
  if (base64 === undefined) return causes;
  // Go's decoder, which KubeVirt uses, skips line breaks.
  const packed = base64.replaceAll(/[\r\n]/g, '');
  if (!BASE64.test(packed)) causes.push(invalid(`${at}.${field}Base64`, base64, 'must be base64'));
  else if (!anySize && (packed.length / 4) * 3 - (packed.match(/=/g)?.length ?? 0) > MAX_BYTES) {
    causes.push(tooLong(`${at}.${field}Base64`, MAX_BYTES));
  }
  return causes;
}
