import { globSync } from 'node:fs';
import { missingAssets } from '../../test/cluster/assets.ts';
import cluster from '../../vitest.cluster.config.ts';
import long from '../../vitest.long.config.ts';
import nightly from '../../vitest.nightly.config.ts';
import { groupByPrefix } from './decide.ts';
import type { Part } from './part.ts';

interface Config {
  readonly test?: { readonly include?: readonly string[] };
}

// vitest runs everything if it is given no file.
const hasFiles = ({ files }: Part) => files?.length !== 0;
const filesOf = ({ test }: Config) => [...new Set(globSync([...(test?.include ?? [])]))];
const vitest = (config: string) => ['node_modules/.bin/vitest', 'run', '--config', `vitest.${config}.config.ts`];

const PROGRAMS = 'programs of real Kubernetes';

/** Groups of the tests on real Kubernetes, the most important first, by prefixes of their files. */
const ON_KUBERNETES: readonly (readonly [name: string, minutes: number, prefixes: readonly string[]])[] = [
  ['on real Kubernetes: journeys', 6, ['test/e2e/', 'test/install', 'test/cluster/']],
  ['on real Kubernetes: operator', 8, ['test/operator/', 'test/definitions', 'test/upgrade/']],
  ['on real Kubernetes: attacks and differences', 4, ['test/attacks/', 'test/differential/']],
  ['on real Kubernetes: everything else', 4, ['']],
];

const LONG: typeof ON_KUBERNETES = [
  ['longer tests: real VMs', 6, ['test/long/qemu/']],
  ['longer tests: journeys', 9, ['test/long/', 'test/attacks/', 'test/e2e/']],
  ['longer tests: kills', 5, ['test/long/apiserver-kill', 'test/long/store-kill', 'test/long/up-kill']],
  ['longer tests: properties', 2, ['']],
];

/** Longer tests that `.ci/run` leaves to `npm run test:long`: a whole Debian is installed, and boots under emulation. */
const TOO_LONG = new Set(['test/long/qemu/debian.test.ts']);

/** Parts of `.ci/run`, the most important first. On a fresh host, Go builds the programs of Kubernetes first. */
export function ciParts(seed: number, isFresh = missingAssets().length > 0): readonly Part[] {
  const onKubernetes = groupByPrefix(
    filesOf(cluster),
    ON_KUBERNETES.map(([, , prefixes]) => prefixes),
  );
  const longer = groupByPrefix(
    filesOf(long).filter((file) => !TOO_LONG.has(file)),
    LONG.map(([, , prefixes]) => prefixes),
  );
  const env = { VIMANA_PROPERTY_SEED: String(seed) };
  const parts: readonly Part[] = [
    { name: 'npm run check', command: ['npm', 'run', 'check'], minutes: 1, required: true },
    { name: 'npm run build', command: ['npm', 'run', 'build'], minutes: 1, required: true },
    { name: 'npm test', command: ['npm', 'test', '--'], minutes: 5, required: true, tests: true },
    {
      // npm test always draws the same values.
      name: 'property tests, with another seed in every run',
      command: vitest('properties'),
      minutes: 1,
      tests: true,
      env,
    },
    {
      name: PROGRAMS,
      command: ['node_modules/.bin/node', 'test/cluster/build-assets.ts'],
      // The first build takes long; between runs, the programs are kept in the cache of the user.
      minutes: isFresh ? 14 : 0,
      lacks: { status: 3, what: 'this host has neither these programs (KUBE_ASSETS) nor Go' },
    },
    ...ON_KUBERNETES.map(([name, minutes], at): Part => {
      const files = onKubernetes[at] ?? [];
      return { name, minutes, files, command: vitest('cluster'), tests: true, retries: true, after: PROGRAMS };
    }),
    ...LONG.map(([name, minutes], at): Part => {
      const files = longer[at] ?? [];
      return { name, minutes, files, command: vitest('long'), tests: true, retries: true, env };
    }),
  ];
  return parts.filter(hasFiles);
}

const SUITE = 'conformance suite';

/** Parts of `npm run test:nightly`: nothing is skipped for want of time. Names limit them: `-- mutation`. */
export function nightlyParts(names: readonly string[]): readonly Part[] {
  const parts = allNightlyParts();
  const unknown = names.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}: ${parts.map(({ name }) => name).join(', ')}`);
  const wanted = new Set(names.flatMap((name) => [name, parts.find((part) => part.name === name)?.after ?? name]));
  return names.length === 0 ? parts : parts.filter(({ name }) => wanted.has(name));
}

/** Soaks, churn, many kills and fuzzing; mutants of the source; the conformance tests of Kubernetes. */
function allNightlyParts(): readonly Part[] {
  const [tests, mutation] = groupByPrefix(filesOf(nightly), [[''], ['test/nightly/mutation']]);
  return [
    { name: 'tests', command: vitest('nightly'), files: tests ?? [], minutes: 0, tests: true },
    { name: 'mutation', command: vitest('nightly'), files: mutation ?? [], minutes: 0, tests: true },
    {
      name: SUITE,
      command: ['node_modules/.bin/node', 'test/cluster/build-assets.ts', 'e2e.test'],
      minutes: 0,
      lacks: { status: 3, what: 'this host has neither e2e.test (KUBE_ASSETS) nor Go' },
    },
    { name: 'conformance', command: ['npm', 'run', 'test:conformance'], minutes: 0, after: SUITE },
    {
      name: 'conformance on up',
      command: ['npm', 'run', 'test:conformance', '--', '--on', 'up'],
      minutes: 0,
      after: SUITE,
    },
  ];
}
