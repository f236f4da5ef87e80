import { realClock } from '#platform/base/clock';
import { loggerOn } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import { startVmControlPlane } from '#programs/embedded/control-plane';

/** Report of the attacked process. */
export interface Health {
  readonly rssMiB: number;
  /** Unexpected keys on the prototypes of objects and arrays. */
  readonly polluted: readonly string[];
  /** Faults that the server logged since the last report, with their stacks. */
  readonly faults: readonly string[];
}

/** The process that the fuzz test attacks: an API server in memory that reports on request. */
async function main(): Promise<void> {
  const faults: string[] = [];
  const log = loggerOn({
    enabled: (level) => level === 'error' || level === 'warn',
    write: ({ message, fields }) => void faults.push(`${message} ${JSON.stringify(fields, withStacks)}`),
  });
  // If a directory is given, the parent process can issue certificates with its authority.
  const [dataDir] = process.argv.slice(2);
  const storage = dataDir === undefined ? {} : { dataDir };
  const plane = await startVmControlPlane({ clock: realClock, random: systemRandom(), log, ...storage });
  process.on('message', () => {
    const polluted = [...Reflect.ownKeys(Object.prototype), ...Reflect.ownKeys(Array.prototype)].map(String);
    const health: Health = {
      rssMiB: process.memoryUsage.rss() / 2 ** 20,
      polluted: polluted.filter((key) => !CLEAN.has(key)),
      faults: faults.splice(0),
    };
    process.send?.(health);
  });
  process.on('disconnect', () => void plane.stop().then(() => process.exit(0)));
  process.send?.({ port: plane.port, token: plane.adminToken });
}

const CLEAN = new Set([...Reflect.ownKeys(Object.prototype), ...Reflect.ownKeys(Array.prototype)].map(String));

function withStacks(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.stack : value;
}

await main();
