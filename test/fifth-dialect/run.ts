import { DIALECT_NAMES } from '#api/groups';
import { startCommandHarness } from '#testing/command-harness';

/** Runs commands on a cluster that serves a fifth group, and prints their outcomes as JSON. */
const [, , ...commands] = process.argv;
const cluster = await startCommandHarness([{ count: 1 }], DIALECT_NAMES);
const outcomes = [];
for (const command of commands) {
  outcomes.push(await cluster.run(command.split(' '), { files: JSON.parse(process.env['FILES'] ?? '{}') }));
}
await cluster.stop();
process.stdout.write(JSON.stringify(outcomes));
