import { readFileSync } from 'node:fs';
import { ConfigError } from '#platform/base/errors';

/** Reads a file; undefined if it does not exist. */
export function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read`, { cause: error });
  }
}
