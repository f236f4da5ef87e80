import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { realClock } from '#platform/base/clock';
import { startUp } from '../e2e/support/vimana.ts';
import { isAlike } from './likeness.ts';
import { Shell } from './shell.ts';
import { type Step, stepsOf } from './steps.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TIMEOUT_MS = 60_000;
const PAUSE_MS = 100;

/** Commands whose effect exists before a test starts, or that a test must not run. */
const LEFT_OUT = /^(?:npm (?:install|ci)|apt-get install)\b/;
const STARTS = /^(?:npm start|bin\/vimana up)(?![\w-])(?: --(?= ))?\s*([^#]*)/;
const SERVES = /^bin\/vimana (?:exporter|operator)\b/;
const SERVING = /serving metrics|started/;
const GOES_ON = /^kubectl .*(?:\s-w\b|\s--watch\b)/;
/** Commands that can safely be retried. */
const ASKS =
  /^(?:kubectl (?:get|describe|top|explain|config) |bin\/vimana (?:vm (?:list|get)|status|explain)(?: |$)|bin\/hyperctl k8s -op (?:vm-list|vm-get|vm-snapshot-list|status)(?: |$)|curl -s [^-]\S*(?: \||$|  #))/;

export interface Where {
  /** Kubeconfig of an existing cluster. Without it, the guide starts its own. */
  readonly kubeconfig?: string;
  /** Directories of additional programs. */
  readonly path?: readonly string[];
  /** Whether slow steps are run too. */
  readonly slow?: boolean;
}

/** Runs all commands of a guide in order, and throws at the first with an unexpected output. */
export async function play(file: string, { kubeconfig, path = [], slow = false }: Where = {}): Promise<number> {
  const steps = stepsOf(readFileSync(file, 'utf8')).filter((step) => slow || !step.slow);
  const start = steps.map(({ command }) => STARTS.exec(command)?.[1]).find((flags) => flags !== undefined);
  const home = mkdtempSync(join(tmpdir(), 'vimana-guide-'));
  const up = start === undefined ? undefined : await startUp(words(start, home), home, 'no folder');
  const shell = new Shell(ROOT, {
    PATH: [...path, dirname(process.execPath), process.env['PATH']].join(':'),
    HOME: home,
    KUBECONFIG: up?.kubeconfig ?? kubeconfig ?? join(home, 'no-cluster'),
  });
  try {
    const places = up === undefined ? {} : await placesOf(shell);
    let done = 0;
    for (const step of steps) {
      if (LEFT_OUT.test(step.command) || STARTS.test(step.command)) continue;
      await make(shell, step, placed(step.command, places), basename(file));
      done++;
    }
    return done;
  } finally {
    await shell.stop();
    await up?.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function make(shell: Shell, { line, shown }: Step, command: string, file: string): Promise<void> {
  if (SERVES.test(command)) return shell.serve(command.replace(/--port \d+/, '--port 0'), SERVING);
  // A command that shows an error must fail.
  const fails = /^(?:error|The \w+ "\S+" is invalid)/i.test(shown ?? '');
  const until = realClock.monotonic() + (ASKS.test(command) ? TIMEOUT_MS : 0);
  for (;;) {
    const { code, out } = await (GOES_ON.test(command) ? shell.watch(command) : shell.run(command));
    // curl treats a rejection as a response.
    const isRefused = shown === undefined && out.includes('"status":"error"');
    const isGood = !isRefused && (code !== 0) === fails && (shown === undefined || isAlike(shown, out));
    if (isGood) return;
    if (realClock.monotonic() >= until) {
      const wanted = shown === undefined ? '' : `\nis shown as\n${shown}\n`;
      throw new Error(`${file}:${line}: ${command}${wanted}\nended with ${code} and printed\n${out}`);
    }
    await realClock.sleep(PAUSE_MS);
  }
}

/** Replaces default ports of the guide by the actual ones. */
async function placesOf(shell: Shell): Promise<Record<string, string>> {
  const { out } = await shell.run('bin/vimana status -o json');
  const { exporter, metrics } = JSON.parse(out) as { readonly exporter?: string; readonly metrics: string };
  return {
    ...(exporter === undefined ? {} : { '8000': new URL(exporter).port }),
    '8080': new URL(metrics).port,
  };
}

const placed = (command: string, places: Readonly<Record<string, string>>) =>
  command.replaceAll(
    /(localhost|127\.0\.0\.1):(\d+)/g,
    (_, host: string, port: string) => `${host}:${places[port] ?? port}`,
  );

/** Splits flags as a shell does, for which ~ is the home directory. */
const words = (text: string, home: string) =>
  text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/^~(?=\/)/, home));
