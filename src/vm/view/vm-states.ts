import { KINDS } from '#api/kinds';
import type { Kind } from '#platform/schema/kind';

/** Every state that a list can show for a VM of any group. */
export const VM_STATES: readonly string[] = [
  ...new Set([...KINDS.filter(({ kind }) => kind === 'VirtualMachine').flatMap(statesOf), 'Unknown']),
].sort();

function statesOf({ schema }: Kind): readonly string[] {
  const { printableStatus, phase } = schema.properties?.['status']?.properties ?? {};
  return ((printableStatus ?? phase)?.enum ?? []).map(String);
}
