import { resolve } from 'node:path';
import { ConfigError } from '#platform/base/errors';
import { defaultDataDir } from './default-data-dir.ts';
import type { Instance } from './registry.ts';

/** Returns the only instance, or undefined if there is none. Throws if there are several, and says how to choose. */
export function onlyInstance(running: readonly Instance[]): Instance | undefined {
  if (running.length <= 1) return running[0];
  const choices = running.map(({ run }) => `  --kubeconfig ${run.kubeconfig}  # ${run.url}`);
  throw several(running, [...choices, 'or set KUBECONFIG to one of these files.']);
}

/** Returns the address of the only instance's exporter, or undefined if none runs. Throws if there are several. */
export function onlyExporter(running: readonly Instance[]): string | undefined {
  const [only, ...others] = running;
  if (only === undefined) return undefined;
  if (others.length > 0) {
    throw several(
      running,
      running.flatMap(({ dataDir, run: { exporter } }) =>
        exporter === undefined ? [] : [`  --exporter ${exporter}  # ${dataDir}`],
      ),
    );
  }
  const { dataDir, run } = only;
  if (run.exporter !== undefined) return run.exporter;
  throw new ConfigError(`the Vimana instance in ${dataDir} runs no exporter`, {
    hint: 'Start vimana exporter for it, and set its address with --exporter.',
  });
}

/**
 * Returns the data directory that a command on an instance means: the given one, the default one if an instance runs
 * there, that of the only running instance, or else the default one.
 */
export function chosenDataDir(given: string | undefined, running: readonly Instance[]): string {
  if (given !== undefined) return resolve(given);
  const usual = resolve(defaultDataDir('up'));
  const [only, ...others] = running;
  if (only === undefined || running.some(({ dataDir }) => dataDir === usual)) return usual;
  if (others.length === 0) return only.dataDir;
  throw several(
    running,
    running.map(({ dataDir, run }) => `  --data-dir ${dataDir}  # ${run.url}`),
  );
}

function several(running: readonly Instance[], choices: readonly string[]): ConfigError {
  return new ConfigError(`${running.length} Vimana instances are running`, {
    hint: ['Choose one:', ...choices].join('\n'),
  });
}
