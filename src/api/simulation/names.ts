import { string } from '#platform/schema/schema';

/** The name of a part of a scenario; short, because names of machines and nodes are made of it. */
export const partName = (description: string) =>
  string(description, { pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', minLength: 1, maxLength: 40 });

/** A reference to a node or machine by its own name. */
export const objectName = (description: string) => string(description, { minLength: 1, maxLength: 253 });
