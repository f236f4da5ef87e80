import { createReadStream, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { TRACE_FORMATS } from '#fleet/simulation/trace/formats';
import { TraceProblems } from '#fleet/simulation/trace/problems';
import { scenarioFromTrace } from '#fleet/simulation/trace/scenario-from-trace';
import type { TraceLine } from '#fleet/simulation/trace/trace-format';
import { TraceVms } from '#fleet/simulation/trace/trace-vms';
import { realClock } from '#platform/base/clock';
import { VimanaError } from '#platform/base/errors';
import type { Io } from '#programs/cli/io';
import { formatManifest } from '#programs/cli/objects/format-manifest';
import { ProgressLine } from '#programs/cli/progress-line';
import type { TraceSettings } from '#programs/cli/trace';

/** Runs `vimana trace import`. Files are read line by line, since published traces have hundreds of gigabytes. */
export async function importTrace(settings: TraceSettings, io: Io): Promise<void> {
  const { format: id, fromMs: from, durationMs, intervalMs, maxVms, machine, nodes, name, out } = settings;
  const format = TRACE_FORMATS.find((each) => each.id === id);
  if (format === undefined) throw new Error(`there is no format ${id}`);
  const vms = new TraceVms({ from, durationMs, intervalMs }, maxVms);
  const problems = new TraceProblems();
  const context = { vms, machine, problems };
  const progress = new ProgressLine(io, realClock);
  await readLines(settings.vms, progress, (line) => format.readVm(line, context));
  problems.check();
  if (vms.all.length === 0) {
    throw new VimanaError('REFUSED', `${settings.vms} has no VM that runs in the requested time`, {
      hint: 'Choose another time with --from and --duration.',
    });
  }
  for (const file of settings.usage) await readLines(file, progress, (line) => format.readUsage(line, context));
  progress.clear();
  problems.check();
  const measured = vms.all.filter(({ cpu }) => cpu !== undefined).length;
  const { scenario, pools, brief } = scenarioFromTrace(vms, { name, nodes, machine, seed: 1 });
  const text = formatManifest(scenario, 'yaml');
  if (out === undefined) io.out(text);
  else writeScenario(out, text);
  io.err(`${vms.all.length} VMs in ${pools} pools, ${measured} of them with usage\n`);
  if (vms.omitted > 0) io.err(`${vms.omitted} further VMs were left out; --max-vms imports more\n`);
  if (brief > 0) io.err(`${brief} VMs ran too briefly for the number of events of a scenario, and were left out\n`);
}

async function readLines(file: string, progress: ProgressLine, read: (line: TraceLine) => void): Promise<void> {
  const source = createReadStream(file);
  const input = file.endsWith('.gz') ? source.pipe(createGunzip()) : source;
  // The stream reports a missing file by an event, which would end the process.
  const failed = Promise.withResolvers<never>();
  for (const stream of new Set([source, input])) stream.on('error', (error) => failed.reject(unreadable(file, error)));
  failed.promise.catch(() => {});
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let line = 0;
  const done = (async () => {
    for await (const text of lines) {
      read({ file, line: ++line, text });
      progress.show(() => `${file}: ${line.toLocaleString('en')} lines`);
    }
  })();
  try {
    await Promise.race([done, failed.promise]);
  } finally {
    lines.close();
    source.destroy();
  }
}

function unreadable(file: string, error: Error): VimanaError {
  return new VimanaError('NOT_FOUND', `cannot read ${file}: ${error.message}`, { cause: error });
}

function writeScenario(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new VimanaError('UNWRITABLE', `cannot write ${file}: ${(error as Error).message}`, { cause: error });
  }
}
