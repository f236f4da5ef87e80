import { describe, expect, it } from 'vitest';
import { causeReason, fieldErrorBody } from '#platform/base/field-error';
import type { JsonSchema } from '#platform/schema/json-schema';
// Responses of a kube-apiserver v1.36.3 to updates of objects that were stored before it had this schema.
import answers from './ratchet.data.json' with { type: 'json' };
import { compileSchema } from './structural-schema.ts';

const schema = compileSchema(answers.schema as unknown as JsonSchema);
const objectWith = (spec: unknown) => ({ apiVersion: 'o/v1', kind: 'Probe', metadata: { name: 'p' }, spec });
const sorted = (causes: readonly (readonly string[])[]): string[] =>
  causes.map((cause) => JSON.stringify(cause)).sort((a, b) => (a < b ? -1 : 1));

describe('an update of an object that its schema would no longer accept', () => {
  it.each(answers.cases)('is validated as by the API server: $old to $object', ({ old, object, causes }) => {
    const found = schema.validate(objectWith(object), objectWith(old));
    expect(sorted(found.map((cause) => [causeReason(cause), cause.field || '<nil>', fieldErrorBody(cause)]))).toEqual(
      sorted(causes),
    );
  });
});
