import { string } from '#platform/schema/schema';

/** Returns the schema for the name of a scenario's part. It is short, because names of VMs and nodes contain it. */
export const partName = (description: string) =>
  string(description, { pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', minLength: 1, maxLength: 40 });

/** Returns the schema of a reference to a node or VM by name. */
export const objectName = (description: string) => string(description, { minLength: 1, maxLength: 253 });
