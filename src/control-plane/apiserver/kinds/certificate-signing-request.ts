import { append } from '#platform/base/append';
import { binaryFromBase64 } from '#platform/base/base64';
import { duplicate, type FieldError, index, invalid, required } from '#platform/base/field-error';
import { dns1123LabelProblems } from '#platform/base/names';
import { repeats } from './by-name.ts';
import { same, validateOneOf } from './field-checks.ts';
import type { KindStrategy } from './kind-strategy.ts';
import { checkStatus, keepDecisions, type SigningStatus } from './signing-status.ts';

interface SigningRequest {
  spec?: {
    request?: string;
    signerName?: string;
    usages?: string[];
    expirationSeconds?: number;
    username?: string;
    uid?: string;
    groups?: readonly string[];
    extra?: Readonly<Record<string, readonly string[]>>;
  };
  status?: SigningStatus;
}

const MIN_SECONDS = 600;
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export const certificateSigningRequests: KindStrategy<SigningRequest> = {
  /** Sets the author from the authenticated user and never from the request, because signers trust it. */
  prepareCreate(object, { name, uid, groups, extra }) {
    const { username: _username, uid: _uid, groups: _groups, extra: _extra, ...spec } = object.spec ?? {};
    object.spec = {
      ...spec,
      username: name,
      ...(uid === undefined ? {} : { uid }),
      groups: [...groups],
      ...(extra === undefined ? {} : { extra: structuredClone(extra) }),
    };
  },
  prepareUpdate(object, old) {
    // The request cannot be changed, because it may already be approved.
    object.spec = structuredClone(old.spec ?? {});
  },
  prepareStatusUpdate: keepDecisions,
  validate: checkWhole,
  parts: new Map([
    ['status', { validate: (object, old) => [...checkWhole(object, old), ...checkStatus(object, old, 'status')] }],
    ['approval', { validate: (object, old) => [...checkWhole(object, old), ...checkStatus(object, old, 'approval')] }],
  ]),
};

function checkWhole({ spec = {} }: SigningRequest, old?: SigningRequest): FieldError[] {
  return old !== undefined && same(spec, old.spec) ? [] : checkRequest(spec);
}

function checkRequest({
  request,
  signerName = '',
  usages = [],
  expirationSeconds,
}: NonNullable<SigningRequest['spec']>) {
  const causes: FieldError[] = [];
  const pem = binaryFromBase64(request ?? '');
  if (!/-----BEGIN CERTIFICATE REQUEST-----[\s\S]+-----END CERTIFICATE REQUEST-----/.test(pem)) {
    causes.push(invalid('spec.request', request ?? null, 'PEM block type must be CERTIFICATE REQUEST'));
  }
  if (usages.length === 0) causes.push(required('spec.usages'));
  const again = repeats(usages);
  for (const [i, usage] of usages.entries()) {
    append(causes, validateOneOf(index('spec.usages', i), usage, USAGES));
    if (again[i] === true) causes.push(duplicate(index('spec.usages', i), usage));
  }
  append(causes, validateSigner('spec.signerName', signerName));
  if (expirationSeconds !== undefined && expirationSeconds < MIN_SECONDS) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    causes.push(invalid('spec.expirationSeconds', expirationSeconds, detail));
  }
  return causes;
}

function validateSigner(field: string, name: string): FieldError[] {
  if (name === '') return [required(field)];
  const parts = name.split('/');
  const [domain = '', path = ''] = parts;
  if (parts.length !== 2 || domain === '' || path === '') {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(field, name, detail)];
  }
  const causes: FieldError[] = [];
  const labels = domain.split('.');
  for (const label of labels) {
    for (const problem of dns1123LabelProblems(label)) {
      causes.push(invalid(field, domain, `validating label "${label}": ${problem}`));
    }
  }
  if (labels.length < 2) {
    causes.push(invalid(field, domain, 'should be a domain with at least two segments separated by dots'));
  }
  return causes;
}
