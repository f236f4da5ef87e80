import type { Dialect } from '#vm/engine/dialect';
import type { DialectRegistration } from './registration.ts';
import { REGISTRATIONS } from './registrations.ts';

/** Returns the registration of an API group that has a VirtualMachine. */
export function registrationOf(group: string): DialectRegistration {
  const found = Object.values(REGISTRATIONS).find(({ dialect }) => dialect.kind.group === group);
  if (found === undefined) throw new Error(`no dialect is registered for the API group ${group}`);
  return found;
}

export const dialectOf = (group: string): Dialect => registrationOf(group).dialect;
