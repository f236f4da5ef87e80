import type { Schema } from '#platform/schema/schema';

/**
 * Marks a field that must be written where a CEL rule of the holder says so in the group's own words. The schema's
 * `required` would answer first, with no words at all, and keep the API server from evaluating any rule.
 */
export function requiredByRule<Output, Input>(schema: Schema<Output, Input>): Schema<Output, Input, 'required'> {
  return { ...schema, presence: 'optional' } as unknown as Schema<Output, Input, 'required'>;
}
