import { accessSync, closeSync, constants, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createDirectory } from '#platform/base/directory';
import { VimanaError } from '#platform/base/errors';
import { csvLine, type Row } from './csv.ts';

/** Destination of a report. */
export interface Output {
  /** Adds a row to a series, which becomes a file of JSON lines and one of comma-separated values. */
  row(series: SeriesName, row: object): void;
  file(name: string, text: string): void;
  /** Writes everything before it returns. */
  close(): void;
}

/** Series of a report and their columns. Each file exists even if it has no rows. */
const SERIES = {
  cluster: [
    't',
    'nodes_up',
    'vms',
    'running',
    'pending',
    'cpu_mean',
    'cpu_max',
    'cpu_sigma',
    'memory_mean',
    'memory_max',
    'memory_sigma',
    'cpu_pressure_max',
    'memory_pressure_max',
    'moving',
    'migrations',
    'tasks',
  ],
  nodes: ['t', 'node', 'up', 'cpu_usage', 'cpu_pressure', 'memory_usage', 'memory_pressure', 'vms'],
  migrations: ['t', 'vm', 'from', 'wanted', 'to', 'cause', 'transfer_seconds', 'down_seconds', 'ended', 'error'],
  violations: ['from', 'to', 'slo', 'node', 'peak', 'vm_seconds'],
  outages: ['from', 'to', 'vm', 'node', 'cause', 'down_seconds', 'recovered'],
  oscillations: ['vm', 'moves', 'returns', 'soonest'],
  events: ['t', 'cause', 'name', 'action', 'what'],
} as const;
export type SeriesName = keyof typeof SERIES;

/** Number of characters that are buffered before they are written. */
const CHUNK = 1 << 18;

interface Series {
  readonly columns: readonly string[];
  readonly json: WrittenFile;
  readonly csv: WrittenFile;
}

interface WrittenFile {
  readonly fd: number;
  text: string;
}

/**
 * Writes a report to a directory, and overwrites an earlier one. The directory must hold nothing else, since files of
 * another run would be mistaken for its own; `hold` locks it until the returned function is called.
 */
export function directoryOutput(directory: string, hold: (directory: string) => () => void): Output {
  const { release, open } = openDirectory(directory, hold);
  const write = (to: WrittenFile, text: string): void => {
    to.text += text;
    if (to.text.length < CHUNK) return;
    writeSync(to.fd, to.text);
    to.text = '';
  };
  return {
    row(name, row) {
      const series = open.get(name);
      if (series === undefined) throw new Error('the report is closed');
      write(series.json, `${JSON.stringify(row)}\n`);
      write(series.csv, csvLine(series.columns.map((column) => (row as Row)[column] ?? '')));
    },
    file: (name, text) => writeFileSync(join(directory, name), text),
    close() {
      for (const { json, csv } of open.values()) {
        for (const { fd, text } of [json, csv]) {
          writeSync(fd, text);
          closeSync(fd);
        }
      }
      open.clear();
      release();
    },
  };
}

interface Opened {
  readonly release: () => void;
  readonly open: Map<string, Series>;
}

/** Opens the files of a report before anything is simulated. */
function openDirectory(directory: string, hold: (directory: string) => () => void): Opened {
  return withDirectory(directory, OURS, hold, (release) => {
    // These files mark a complete report, and those of an earlier one would describe other series.
    for (const name of WHOLE) rmSync(join(directory, name), { force: true });
    const written = (name: string): WrittenFile => ({ fd: openSync(join(directory, name), 'w'), text: '' });
    const open = new Map(
      Object.entries(SERIES).map(([name, columns]): [string, Series] => {
        const csv = written(`${name}.csv`);
        csv.text = csvLine(columns);
        return [name, { columns, json: written(`${name}.jsonl`), csv }];
      }),
    );
    return { release, open };
  });
}

/** Prepares a directory that may contain only files of the same kind, and locks it. */
export function withDirectory<T>(
  directory: string,
  ours: RegExp,
  hold: (directory: string) => () => void,
  open: (release: () => void) => T,
): T {
  try {
    createDirectory(directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
    const other = readdirSync(directory).find((name) => !ours.test(name));
    if (other !== undefined) {
      throw new VimanaError('REFUSED', `${directory} contains ${other}, which is not part of a report`, {
        hint: 'Choose another directory with --out; only an earlier report is overwritten.',
      });
    }
    return open(hold(directory));
  } catch (error) {
    if (error instanceof VimanaError) throw error;
    throw new VimanaError('UNWRITABLE', `cannot write to ${directory}: ${(error as Error).message}`, {
      cause: error,
      hint: 'Choose another directory with --out.',
    });
  }
}

/** Files that are written at the end, about the whole run. */
const WHOLE = ['summary.json', 'report.html'];
const OURS = new RegExp(
  `^(?:${Object.keys(SERIES).join('|')})\\.(?:jsonl|csv)$|^summary\\.json$|^report\\.html$|^folder\\.lock(?:-journal)?$`,
);
