import { append } from '#platform/base/append';
import { base64Length, textFromBase64, toBase64 } from '#platform/base/base64';
import { encodeUtf8 } from '#platform/base/bytes';
import { type FieldError, forbidden, invalid, key, required, tooLong } from '#platform/base/field-error';
import { utf8Length } from '#platform/base/utf8';
import type { KubeObject } from '#platform/kube/kube-object';
import { causesFor, configKeyProblems, same, validateUnchanged } from '../field-checks.ts';
import type { KindStrategy } from '../kind-strategy.ts';

const MAX_BYTES = 1024 * 1024;

interface ConfigMap {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

interface Secret {
  type?: string;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  immutable?: boolean;
}

export const configMaps: KindStrategy<ConfigMap> = {
  validate(object, old) {
    const { data = {}, binaryData = {} } = object;
    const causes: FieldError[] = [];
    let size = 0;
    for (const name of Object.keys(data)) {
      append(causes, validateConfigKey('data', name));
      if (Object.hasOwn(binaryData, name))
        causes.push(invalid(key('data', name), name, 'duplicate of key present in binaryData'));
      size += utf8Length(data[name] as string);
    }
    for (const [name, value] of Object.entries(binaryData)) {
      append(causes, validateConfigKey('binaryData', name));
      size += base64Length(value);
    }
    if (size > MAX_BYTES) causes.push(tooLong('[]', MAX_BYTES));
    return [...causes, ...validateSealed(object, old, ['data', 'binaryData'])];
  },
};

const NONE: readonly FieldError[] = [];

/** Validates a key. It formats the path of an invalid one only, since an object may have 50,000 keys. */
function validateConfigKey(field: string, name: string): readonly FieldError[] {
  const problems = configKeyProblems(name);
  return problems.length === 0 ? NONE : causesFor(key(field, name), name, problems);
}

/** Rejects changes to an immutable object, including to `immutable` itself. */
function validateSealed(object: KubeObject, old: KubeObject | undefined, fields: readonly string[]): FieldError[] {
  if (old?.['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const causes = object['immutable'] === true ? [] : [forbidden('immutable', detail)];
  for (const field of fields) {
    if (!same(object[field], old[field])) causes.push(forbidden(field, detail));
  }
  return causes;
}

const SERVICE_ACCOUNT = 'kubernetes.io/service-account.name';

export const secrets: KindStrategy<Secret> = {
  defaults(object) {
    const secret = object;
    secret.type ||= 'Opaque';
    if (secret.stringData === undefined) return;
    const given = Object.entries(secret.stringData).map(([name, text]) => [name, toBase64(encodeUtf8(text))]);
    secret.data = { ...secret.data, ...Object.fromEntries(given) };
    delete secret.stringData;
  },
  validate(object, old) {
    const { data = {}, type } = object;
    const causes: FieldError[] = [];
    let size = 0;
    for (const [name, value] of Object.entries(data)) {
      append(causes, validateConfigKey('data', name));
      size += base64Length(value);
    }
    if (size > MAX_BYTES) causes.push(tooLong('data', MAX_BYTES));
    append(causes, validateContent(object, data, type));
    const before = old;
    if (before !== undefined) append(causes, validateUnchanged('type', type, before.type));
    return [...causes, ...validateSealed(object, old, ['data'])];
  },
};

/** Validates the required keys of secrets of the types that Kubernetes itself reads. */
function validateContent(
  { metadata }: KubeObject,
  data: Readonly<Record<string, string>>,
  type: string | undefined,
): FieldError[] {
  const need = (...names: string[]) =>
    names.filter((name) => !Object.hasOwn(data, name)).map((name) => required(key('data', name)));
  switch (type) {
    case 'kubernetes.io/service-account-token':
      return (metadata.annotations?.[SERVICE_ACCOUNT] ?? '') === ''
        ? [required(key('metadata.annotations', SERVICE_ACCOUNT))]
        : [];
    case 'kubernetes.io/dockercfg':
      return '.dockercfg' in data ? validateJson('.dockercfg', data) : need('.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return '.dockerconfigjson' in data ? validateJson('.dockerconfigjson', data) : need('.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      return 'username' in data || 'password' in data ? [] : need('username', 'password');
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? [required('data[ssh-privatekey]')] : [];
    case 'kubernetes.io/tls':
      return need('tls.crt', 'tls.key');
    default:
      return [];
  }
}

function validateJson(name: string, data: Readonly<Record<string, string>>): FieldError[] {
  const text = textFromBase64(data[name] ?? '');
  try {
    JSON.parse(text);
    return [];
  } catch {
    const first = text.trimStart()[0];
    const why =
      first === undefined
        ? 'unexpected end of JSON input'
        : `invalid character '${first}' looking for beginning of value`;
    return [invalid(key('data', name), '<secret contents redacted>', why)];
  }
}
