import { expect, test } from 'vitest';
import { chosenDataDir, onlyExporter, onlyInstance } from './choose.ts';
import { defaultDataDir } from './default-data-dir.ts';
import type { Instance } from './registry.ts';

const DEFAULT_DIR = defaultDataDir('up');
const instance = (dataDir: string): Instance => ({
  dataDir,
  run: {
    pid: 1,
    startedAt: '',
    url: `https://${dataDir}`,
    kubeconfig: `${dataDir}/kubeconfig`,
    metrics: '',
    health: '',
  },
});

test.each<[string | undefined, readonly string[], string]>([
  ['/given', [DEFAULT_DIR, '/a'], '/given'],
  [undefined, [], DEFAULT_DIR],
  [undefined, ['/a'], '/a'],
  [undefined, ['/a', DEFAULT_DIR], DEFAULT_DIR],
])('with --data-dir %s and instances in %j, a command uses %s', (given, running, chosen) => {
  expect(chosenDataDir(given, running.map(instance))).toBe(chosen);
});

test('several instances are listed with how to choose one', () => {
  const running = ['/a', '/b'].map(instance);
  expect(() => chosenDataDir(undefined, running)).toThrow('2 Vimana instances are running');
  for (const choose of [() => chosenDataDir(undefined, running), () => onlyInstance(running)]) {
    expect(choose).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/ \/a.*https:\/\/\/a\n.* \/b.*https:\/\/\/b/) }),
    );
  }
  expect(onlyInstance(running.slice(0, 1))).toEqual(running[0]);
  expect(onlyInstance([])).toBeUndefined();
});

test('the exporter is that of the only instance', () => {
  const [a, b] = ['/a', '/b'].map((dataDir) => {
    const { run } = instance(dataDir);
    return { dataDir, run: { ...run, exporter: `http:/${dataDir}` } };
  }) as [Instance, Instance];
  expect(onlyExporter([])).toBeUndefined();
  expect(onlyExporter([a])).toBe('http://a');
  expect(() => onlyExporter([instance('/a')])).toThrow('the Vimana instance in /a runs no exporter');
  expect(() => onlyExporter([a, b])).toThrow(
    expect.objectContaining({
      message: '2 Vimana instances are running',
      hint: 'Choose one:\n  --exporter http://a  # /a\n  --exporter http://b  # /b',
    }),
  );
});
