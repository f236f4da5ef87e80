import { KINDS } from '#api/kinds';
import { type FieldError, fieldErrorBody, formatFieldError } from '#platform/base/field-error';
import { intendedBytes } from '#platform/base/intended-bytes';
import { similarWord } from '#platform/base/similar-word';
import { stepsOf } from '#platform/kube/field-places';
import type { JsonSchema } from '#platform/schema/json-schema';

/** Verdict on an object, as admission returns it. */
interface Verdict {
  readonly causes: readonly FieldError[];
  readonly unknownFields: readonly string[];
}

interface DescribeOptions {
  /** Kind of the object, whose fields unknown ones may be misspellings of. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Returns what precedes the error of a field, such as its file and line. */
  readonly place?: (field: string) => string;
}

/**
 * Describes every reason to reject an object, in the words of Kubernetes as far as they help, with what is probably
 * meant instead.
 */
export function describeCauses({ causes, unknownFields }: Verdict, options: DescribeOptions): string[] {
  const { apiVersion, kind, place = () => '' } = options;
  const schema = KINDS.find((each) => each.kind === kind && apiVersion.startsWith(`${each.group}/`))?.schema;
  const unknown = unknownFields.map(
    (field) => `${place(field)}unknown field "${field}"${suggestedField(schema, field)}`,
  );
  // The schema reports with an empty path that it left out some rules. That is no error of the user.
  const ofFields = causes.filter(({ field, value }) => !(field === '' && value === null));
  const known = ofFields.map((cause) => `${place(cause.field)}${describeCause(cause)}`);
  const all = [...unknown, ...known];
  return ofFields.length === causes.length
    ? all
    : [...all, 'Further rules are checked once these errors are corrected.'];
}

function suggestedField(schema: JsonSchema | undefined, field: string): string {
  const steps = stepsOf(field);
  const name = steps.pop() ?? '';
  const parent = steps.reduce<JsonSchema | undefined>(schemaAt, schema);
  const meant = similarWord(name, Object.keys(parent?.properties ?? {}));
  return meant === undefined ? '' : `: did you mean ${meant}?`;
}

function schemaAt(schema: JsonSchema | undefined, step: string): JsonSchema | undefined {
  const { properties, items, additionalProperties: others } = schema ?? {};
  return properties?.[step] ?? items ?? (typeof others === 'object' ? others : undefined);
}

const PATTERN = / in body should match '(.*)'$/s;

/** Describes one reason. Amounts of memory and disk are explained, because a regular expression does not help. */
function describeCause(cause: FieldError): string {
  const { field, value, detail } = cause;
  const [, pattern = ''] = PATTERN.exec(detail) ?? [];
  if (pattern === '' || typeof value !== 'string' || !pattern.includes('[KMGT')) return formatFieldError(cause);
  const isWhole = !pattern.includes('numk');
  const text = isWhole
    ? 'must be a whole number with a binary suffix, such as 512Mi or 8Gi'
    : 'must be a quantity, such as 500m, 2 or 8Gi';
  const meant = /cpu/i.test(field) ? undefined : amountLike(value, pattern);
  return `${field}: ${fieldErrorBody({ ...cause, detail: `${text}${meant === undefined ? '' : `: try ${meant}`}` })}`;
}

function amountLike(value: string, pattern: string): string | undefined {
  const candidates = [intendedBytes(value, 'memory'), `${value}i`];
  return candidates.find((candidate) => candidate !== undefined && new RegExp(pattern).test(candidate));
}
