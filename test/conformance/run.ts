import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findAsset } from '../cluster/assets.ts';
import { type RunningServer, startApiServer, startUp } from '../e2e/support/vimana.ts';
import { playNodes } from './nodes.ts';
import { type Result, runTests } from './suite.ts';

/** Runs the listed conformance tests against Vimana, and reports which of them did not pass. */
const { values } = parseArgs({
  options: {
    on: { type: 'string', default: 'apiserver' },
    list: { type: 'string' },
    match: { type: 'string', default: '' },
    workers: { type: 'string', default: '3' },
    results: { type: 'string' },
  },
});
const target = values.on;
if (target !== 'apiserver' && target !== 'up') throw new Error(`--on is ${target}: use apiserver or up`);
const list = values.list ?? resolve(import.meta.dirname, target === 'up' ? 'passing-on-up.txt' : 'passing.txt');
const wanted = new RegExp(values.match);
const names = readFileSync(list, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('[sig-') && wanted.test(line));
const binary = findAsset('e2e.test');
if (binary === undefined) {
  print('skipped: there is no e2e.test (node test/cluster/build-assets.ts e2e.test builds it)');
} else if (names.length === 0) {
  throw new Error(`${list} names no test that matches /${values.match}/`);
} else {
  const results = await conformance(binary, names, Number(values.workers));
  if (values.results !== undefined) writeFileSync(values.results, JSON.stringify(results, undefined, 1));
  const failed = results.filter(({ state }) => state !== 'passed');
  for (const { name, state, why } of failed) print(`${state}: ${name}\n  ${why.replaceAll('\n', '\n  ')}`);
  const missing = names.filter((name) => !results.some((result) => result.name === name));
  for (const name of missing) print(`not run: ${name}`);
  print(`conformance: ${results.length - failed.length} passed, ${failed.length + missing.length} did not`);
  process.exitCode = failed.length + missing.length === 0 ? 0 : 1;
}

/** Disruptive tests run alone, after the others. */
async function conformance(suite: string, all: readonly string[], workers: number): Promise<Result[]> {
  const logs = join(tmpdir(), `vimana-conformance-${process.pid}`);
  mkdirSync(logs, { recursive: true });
  print(`${all.length} tests; what the suite prints is in ${logs}`);
  const nodes = new AbortController();
  const server = await startTarget(logs, nodes.signal);
  try {
    const run = async (share: readonly string[], part: string): Promise<Result[]> =>
      share.length === 0
        ? []
        : await runTests(suite, {
            names: share,
            kubeconfig: server.kubeconfig,
            report: join(logs, `${part}.json`),
            log: openSync(join(logs, `${part}.log`), 'w'),
          });
    const alone = all.filter((name) => /\[(?:Serial|Disruptive)\]/.test(name));
    const together = all.filter((name) => !alone.includes(name));
    const shares = Array.from({ length: workers }, (_, at) => together.filter((_name, i) => i % workers === at));
    const results = await Promise.all(shares.map((share, at) => run(share, `part-${at + 1}`)));
    return [...results.flat(), ...(await run(alone, 'alone'))].filter(isTest(all));
  } finally {
    nodes.abort();
    await server.stop();
  }
}

/** `up` runs pods on simulated nodes; beside `apiserver`, two nodes are ready and run nothing. */
async function startTarget(logs: string, signal: AbortSignal): Promise<RunningServer> {
  if (target === 'up') return await startUp(['--empty', '--nodes', '4']);
  const server = await startApiServer('--audit-log', join(logs, 'audit.log'));
  await playNodes(server.kubeconfig, signal);
  return server;
}

/** Setup and cleanup of the suite count only if they fail. */
function isTest(known: readonly string[]): (result: Result) => boolean {
  return ({ name, state }) => known.includes(name) || state !== 'passed';
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
