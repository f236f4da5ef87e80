import { formatDuration, parseDuration } from '#platform/base/duration';
import { ParseError } from '#platform/base/errors';
import { parseFiniteJson } from '#platform/base/finite-json';
import { formatQuantity, parseQuantity } from '#platform/base/quantity';

/** Fields of a message as on the wire, by protobuf name. */
export type Parts = Readonly<Record<string, unknown>>;

/** A message with a custom form in JSON. */
export interface SpecialMessage {
  toJson(parts: Parts): unknown;
  toParts(json: unknown): Parts;
}

const META = 'k8s.io.apimachinery.pkg.apis.meta.v1.';
const CRD = 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.';

const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** A time. Go's zero time has no bytes, and is null in JSON. */
function time(format: (seconds: number, nanos: number) => string): SpecialMessage {
  return {
    toJson: (parts) =>
      Object.keys(parts).length === 0 ? null : format(numberOf(parts['seconds']), numberOf(parts['nanos'])),
    toParts(json) {
      if (typeof json !== 'string') return {};
      const ms = Date.parse(json);
      if (Number.isNaN(ms)) throw new ParseError(`parsing time ${JSON.stringify(json)}`);
      const fraction = /\.(\d{1,9})/.exec(json)?.[1] ?? '';
      return { seconds: Math.floor(ms / 1000), nanos: Number(fraction.padEnd(9, '0')) };
    },
  };
}

function isoSeconds(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw new ParseError('time is out of range');
  return date.toISOString().replace(/\.\d+Z$/, '');
}

/** Any JSON value, encoded as its text. */
const raw = (field: string): SpecialMessage => ({
  toJson(parts) {
    const bytes = parts[field];
    if (!(bytes instanceof Uint8Array) || bytes.length === 0) return null;
    try {
      return parseFiniteJson(new TextDecoder().decode(bytes));
    } catch (error) {
      throw new ParseError(`json parse error: ${error instanceof Error ? error.message : ''}`, { cause: error });
    }
  },
  toParts: (json) => (json === null ? {} : { [field]: new TextEncoder().encode(JSON.stringify(json)) }),
});

const list: SpecialMessage = {
  toJson: (parts) => parts['items'] ?? [],
  toParts: (json) => ({ items: json ?? [] }),
};

/** A schema, several schemas, or a simpler value in its place. */
const schemaOr = (many: string): SpecialMessage => ({
  toJson: (parts) => parts[many] ?? parts['schema'] ?? null,
  toParts: (json) => (Array.isArray(json) ? { [many]: json } : { schema: json }),
});

const SPECIAL: Readonly<Record<string, SpecialMessage>> = {
  [`${META}Time`]: time((seconds) => `${isoSeconds(seconds)}Z`),
  [`${META}MicroTime`]: time((seconds, nanos) => {
    return `${isoSeconds(seconds)}.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}Z`;
  }),
  [`${META}Duration`]: {
    toJson: (parts) => formatDuration(numberOf(parts['duration']) / 1e6),
    toParts: (json) => ({ duration: Math.round(parseDuration(textOf(json)) * 1e6) }),
  },
  [`${META}FieldsV1`]: raw('Raw'),
  [`${META}Verbs`]: list,
  'k8s.io.api.authentication.v1.ExtraValue': list,
  'k8s.io.api.authorization.v1.ExtraValue': list,
  'k8s.io.api.certificates.v1.ExtraValue': list,
  'k8s.io.apimachinery.pkg.runtime.RawExtension': raw('raw'),
  'k8s.io.apimachinery.pkg.api.resource.Quantity': {
    toJson: (parts) => (parts['string'] === undefined ? '0' : formatQuantity(parseQuantity(textOf(parts['string'])))),
    toParts: (json) => ({ string: typeof json === 'number' ? String(json) : textOf(json) }),
  },
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString': {
    toJson: (parts) => (numberOf(parts['type']) === 1 ? textOf(parts['strVal']) : numberOf(parts['intVal'])),
    toParts: (json) => (typeof json === 'string' ? { type: 1, strVal: json } : { type: 0, intVal: numberOf(json) }),
  },
  [`${CRD}JSON`]: raw('raw'),
  [`${CRD}JSONSchemaPropsOrArray`]: schemaOr('jSONSchemas'),
  [`${CRD}JSONSchemaPropsOrStringArray`]: schemaOr('property'),
  [`${CRD}JSONSchemaPropsOrBool`]: {
    toJson: (parts) => parts['schema'] ?? parts['allows'] === true,
    toParts: (json) => (typeof json === 'boolean' ? { allows: json } : { allows: true, schema: json }),
  },
};

export function specialMessage(name: string): SpecialMessage | undefined {
  return Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
}
