import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MachineSpec } from '../../machine-spec.ts';
import { IGNITION_ANNOTATION, IGNITION_FILE } from '../command/ignition-arguments.ts';

/** Writes the Ignition configuration of a machine to its directory, if it has one. It may contain secrets. */
export async function writeIgnition({ annotations }: MachineSpec, directory: string): Promise<void> {
  const configuration = annotations[IGNITION_ANNOTATION];
  if (configuration === undefined) return;
  await writeFile(join(directory, IGNITION_FILE), configuration, { mode: 0o600 });
}
