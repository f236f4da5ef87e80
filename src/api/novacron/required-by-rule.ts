import type { Schema } from '#platform/schema/schema';

/**
 * Marks a field that a CEL rule of its holder requires with the group's own message. The schema's `required` would
 * respond first, without a message, and prevent the API server from evaluating any rule.
 */
export function requiredByRule<Output, Input>(schema: Schema<Output, Input>): Schema<Output, Input, 'required'> {
  return { ...schema, presence: 'optional' } as unknown as Schema<Output, Input, 'required'>;
}
