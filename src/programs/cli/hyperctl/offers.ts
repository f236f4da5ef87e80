import type { Command } from 'commander';
import { withConnection } from '../connection.ts';
import { TEMPLATES } from '../template/command.ts';
import type { VmDeps } from '../vm-deps.ts';
import type { Offer } from './wizard.ts';

/** The user is waiting for a question, so templates that take longer are not offered. */
const TIMEOUT_MS = 5000;

/** Returns the templates of the namespace, or none if the cluster cannot be reached. */
export async function offersOf(parts: VmDeps, command: Command): Promise<readonly Offer[]> {
  const over = new AbortController();
  const late = Promise.withResolvers<readonly Offer[]>();
  const timer = parts.clock.timer(TIMEOUT_MS, () => {
    over.abort();
    late.resolve([]);
  });
  const found = withConnection(parts.connect, command, async ({ client, namespace }) => {
    const { items } = await client.list(TEMPLATES.type, { namespace, signal: over.signal });
    return items.map(
      ({ metadata, spec: { displayName, defaultSpec: { cpus, memory } = {} } }): Offer => ({
        name: metadata.name,
        displayName,
        ...(cpus === undefined ? {} : { cpus }),
        ...(memory === undefined ? {} : { memory }),
      }),
    );
  });
  try {
    return await Promise.race([found.catch(() => []), late.promise]);
  } finally {
    timer.cancel();
  }
}
