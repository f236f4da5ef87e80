const REDACTED = '[redacted]';
const MAX_DEPTH = 32;

/** Keys whose values are secret, compared in lower case and without '-', '_' and '.'. */
const SECRET_KEYS = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'passwd',
  'passphrase',
  'secret',
  'stringdata',
  'clientkey',
  'clientkeydata',
  'clientcertificatedata',
  'privatekey',
  'tlskey',
  'apikey',
  'accesskey',
  'credential',
  'credentials',
  'authprovider',
  'kubeconfig',
  // kubectl copies the whole object into this annotation, including a Secret's data.
  'kubectlkubernetesio/lastappliedconfiguration',
]);
const SECRET_ENDINGS = [
  'token',
  'tokens',
  'password',
  'passwords',
  'clientsecret',
  'sharedsecret',
  'secretkey',
  'secretaccesskey',
];

/** Patterns of secrets within text: credentials in a header, a URL or a PEM block, and JSON web tokens. */
const SECRET_TEXT: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, REDACTED],
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@:]{1,256}:[^\s/@]{1,256}@/gi, `$1${REDACTED}@`],
  [/-----BEGIN ([A-Z ]{0,30}PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/g, REDACTED],
];

type Pair = readonly [key: string, value: unknown];

/**
 * Returns a copy of a value that is safe to log: plain JSON data with every secret replaced, at any depth. Errors
 * become objects with their stack and their chain of causes.
 */
export function redact(value: unknown): unknown {
  return copy(value, new Set(), 0);
}

/** Returns the text without the secrets that can be recognized by their form. */
export function redactText(text: string): string {
  return SECRET_TEXT.reduce((clean, [pattern, replacement]) => clean.replaceAll(pattern, replacement), text);
}

/** Returns the fields of a log entry without their secrets. */
export function redactFields(fields: object): Record<string, unknown> {
  return copyEntries(readEntries(fields), new Set([fields]), 0);
}

function copy(value: unknown, above: Set<object>, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return redactText(value);
    case 'bigint':
    case 'symbol':
      return String(value);
    case 'function':
      return '[function]';
    case 'object':
      return value === null ? null : copyObject(value, above, depth);
    default:
      return value;
  }
}

function copyObject(value: object, above: Set<object>, depth: number): unknown {
  if (above.has(value)) return '[circular]';
  if (depth > MAX_DEPTH) return '[too deep]';
  above.add(value);
  try {
    return copyKind(value, above, depth + 1);
  } catch (error) {
    return unreadable(error);
  } finally {
    above.delete(value);
  }
}

function copyKind(value: object, above: Set<object>, depth: number): unknown {
  if (value instanceof Error) return copyError(value, above, depth);
  if (Array.isArray(value)) return value.map((item) => copy(item, above, depth));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Set) return [...value].map((item) => copy(item, above, depth));
  const pairs = entriesOf(value);
  if (pairs !== undefined) return copyEntries(pairs, above, depth);
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), above, depth);
  return copyEntries(readEntries(value), above, depth);
}

/** Returns the entries of a Map or of a map-like object: Headers, URLSearchParams. */
function entriesOf(value: object): Pair[] | undefined {
  if (!(Symbol.iterator in value) || !('entries' in value) || typeof value.entries !== 'function') return undefined;
  return [...(value.entries() as Iterable<[unknown, unknown]>)].map(([key, item]) => [String(key), item]);
}

/** Returns the fields of an object, each read by itself. */
function readEntries(value: object): Pair[] {
  return Object.keys(value).map((key) => {
    try {
      return [key, (value as Record<string, unknown>)[key]];
    } catch (error) {
      return [key, unreadable(error)];
    }
  });
}

/** Describes a field that could not be read. A foreign getter or toJSON must not crash the program from a log call. */
function unreadable(error: unknown): string {
  return `[unreadable: ${error instanceof Error ? redactText(error.message) : 'unknown'}]`;
}

function copyEntries(entries: readonly Pair[], above: Set<object>, depth: number): Record<string, unknown> {
  // A Kubernetes Secret holds its data under inconspicuous keys.
  const hidesData = entries.some(([key, value]) => key === 'kind' && value === 'Secret');
  const copied = entries.map(([key, value]) => {
    const secret = isSecretKey(key) || (hidesData && key === 'data');
    return [key, secret ? hide(value) : copy(value, above, depth)] as const;
  });
  return Object.fromEntries(copied);
}

function copyError(error: Error, above: Set<object>, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return {
    name,
    message: redactText(message),
    ...copyEntries(readEntries(error), above, depth),
    ...(stack === undefined ? {} : { stack: redactText(stack) }),
    ...(error instanceof AggregateError ? { errors: copy(error.errors, above, depth) } : {}),
    ...(cause === undefined ? {} : { cause: copy(cause, above, depth) }),
  };
}

/** Replaces a secret value. A flag or an absent value reveals nothing and shows the reader what was set. */
function hide(value: unknown): unknown {
  return value === null || value === undefined || typeof value === 'boolean' ? value : REDACTED;
}

function isSecretKey(key: string): boolean {
  const plain = key.toLowerCase().replaceAll(/[-_.]/g, '');
  return SECRET_KEYS.has(plain) || SECRET_ENDINGS.some((ending) => plain.endsWith(ending));
}
