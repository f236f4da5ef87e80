import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '#platform/base/errors';
import type { CarbonSources } from './carbon.ts';

/** Returns the sources of carbon providers in a Node.js process: the network, the environment and files. */
export function carbonSources(): CarbonSources {
  return {
    fetch,
    token: process.env['VIMANA_CARBON_TOKEN'],
    readFile: (path) => readFile(path, 'utf8'),
    readToken,
  };
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`--carbon-token-file cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
