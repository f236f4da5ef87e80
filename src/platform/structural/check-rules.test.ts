import { describe, expect, it } from 'vitest';
import { causeReason, fieldErrorBody } from '#platform/base/field-error';
import type { JsonSchema } from '#platform/schema/json-schema';
// Responses of a kube-apiserver v1.36.3 to CRDs with these schemas.
import cases from './check-rules.data.json' with { type: 'json' };
import { validateRules } from './check-rules.ts';

const PATH = 'spec.validation.openAPIV3Schema';

/** If rules together cost too much, the server names some of them, and its choice among equal ones is random. */
const isChance = (cause: readonly (string | undefined)[]): boolean => cause[2]?.includes('contributed to') === true;
const sorted = (causes: readonly (readonly (string | undefined)[])[]): string[] =>
  causes
    .filter((cause) => !isChance(cause))
    .map((cause) => JSON.stringify(cause))
    .sort((a, b) => (a < b ? -1 : 1));

describe('checkRules', () => {
  it.each(cases)('reports the errors of the API server for $schema.properties', ({ schema, causes }) => {
    const found = validateRules(schema as unknown as JsonSchema, PATH);
    const reported = found.map((cause) => [causeReason(cause), cause.field.replace(PATH, ''), fieldErrorBody(cause)]);
    expect(sorted(reported)).toEqual(sorted(causes));
    expect(reported.some(isChance)).toBe(causes.some(isChance));
  });
});
