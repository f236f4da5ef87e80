import { formatDuration, parseDuration } from '#platform/base/duration';
import { ParseError } from '#platform/base/errors';
import { copyJson } from '#platform/base/json-copy';
import { memoize } from '#platform/base/memoize';
import { formatQuantity, parseQuantity } from '#platform/base/quantity';
import type { DecodeWalk } from './decode-walk.ts';
import { formatGoTime, readGoTime } from './go-time.ts';

/** A type with custom JSON decoding. */
export interface SpecialJson {
  /** Value that Go writes if nothing was read. */
  readonly zero: unknown;
  /** Returns the value as Go would encode it again, and reports errors to the walk. */
  read(value: unknown, walk: DecodeWalk): unknown;
}

/** Accepts any JSON. */
const anything: SpecialJson = { zero: null, read: copyJson };

/** Field sets are immutable, so equal ones are shared. */
const fieldSet: SpecialJson = { zero: null, read: (value) => value };

/** Maximum number of cached times and quantities. Few different ones occur within a period. */
const MAX_CACHED = 1024;

function time(micro: boolean): SpecialJson {
  const print = memoize(MAX_CACHED, (text) => {
    const read = readGoTime(text, micro);
    return 'error' in read ? read : formatGoTime(read, micro);
  });
  return {
    zero: null,
    read(value, walk) {
      if (value === null) return null;
      if (typeof value !== 'string') return walk.refuseType(value, 'string');
      const printed = print(value);
      return typeof printed === 'string' ? printed : walk.refuse(printed.error);
    },
  };
}

/** Runs a parser and reports the ParseError that it throws. */
function parseSpecial(walk: DecodeWalk, parse: () => string): string | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    walk.refuse(error.message);
    return undefined;
  }
}

const canonicalQuantity = memoize(MAX_CACHED, (text) => formatQuantity(parseQuantity(text)));

const quantity: SpecialJson = {
  zero: '0',
  read(value, walk) {
    if (value === null) return '0';
    if (typeof value === 'string') return parseSpecial(walk, () => canonicalQuantity(value));
    return parseSpecial(walk, () =>
      formatQuantity(parseQuantity(typeof value === 'number' ? value : JSON.stringify(value))),
    );
  },
};

const duration: SpecialJson = {
  zero: '0s',
  read(value, walk) {
    if (typeof value !== 'string') return value === null ? '0s' : walk.refuseType(value, 'string');
    return parseSpecial(walk, () => formatDuration(parseDuration(value)));
  },
};

const INT32_MAX = 2 ** 31 - 1;

const intOrString: SpecialJson = {
  zero: 0,
  read(value, walk) {
    if (value === null) return 0;
    if (typeof value === 'string') return value;
    const fits = typeof value === 'number' && Number.isInteger(value) && value <= INT32_MAX && value >= -INT32_MAX - 1;
    return fits ? value : walk.refuseType(value, 'int32');
  },
};

/** A list of strings with a named Go type. */
const texts: SpecialJson = {
  zero: null,
  read(value, walk) {
    if (value === null) return null;
    if (!Array.isArray(value)) return walk.mismatch(value, 'v1.ExtraValue', 'slice');
    return value.map((item) =>
      item === null ? '' : typeof item === 'string' ? item : walk.mismatch(item, 'string', 'string'),
    );
  },
};

const META = 'k8s.io.apimachinery.pkg.apis.meta.v1.';
const CRD = 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.';
const SCHEMA = `${CRD}JSONSchemaProps`;

/** Reads an embedded schema by itself: its unknown fields are dropped without a report. */
const schemaOr = (simple: (value: unknown, walk: DecodeWalk) => unknown): SpecialJson => ({
  zero: null,
  read(value, walk) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return simple(value, walk);
    return walk.quietly(value, SCHEMA);
  },
});

const SPECIAL: ReadonlyMap<string, SpecialJson> = new Map(
  Object.entries({
    [`${META}Time`]: time(false),
    [`${META}MicroTime`]: time(true),
    [`${META}Duration`]: duration,
    [`${META}FieldsV1`]: fieldSet,
    'k8s.io.api.authentication.v1.ExtraValue': texts,
    'k8s.io.api.authorization.v1.ExtraValue': texts,
    'k8s.io.api.certificates.v1.ExtraValue': texts,
    'k8s.io.apimachinery.pkg.runtime.RawExtension': anything,
    'k8s.io.apimachinery.pkg.api.resource.Quantity': quantity,
    'k8s.io.apimachinery.pkg.util.intstr.IntOrString': intOrString,
    [`${CRD}JSON`]: anything,
    [`${CRD}JSONSchemaPropsOrBool`]: schemaOr((value, walk) =>
      typeof value === 'boolean' ? value : walk.refuse('boolean or JSON schema expected'),
    ),
    [`${CRD}JSONSchemaPropsOrArray`]: schemaOr((value, walk) =>
      Array.isArray(value) ? value.map((item) => walk.quietly(item, SCHEMA)) : null,
    ),
    [`${CRD}JSONSchemaPropsOrStringArray`]: schemaOr((value) => (Array.isArray(value) ? value : null)),
  }),
);

export function specialJson(message: string): SpecialJson | undefined {
  return SPECIAL.get(message);
}
