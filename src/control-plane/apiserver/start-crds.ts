import type { Logger } from '#platform/base/logger';
import { converters } from './apiextensions/converters.ts';
import { Crds } from './apiextensions/crds.ts';
import type { ServerCore } from './create-backend.ts';
import { systemContext } from './own-users.ts';

/** Starts to serve the CustomResourceDefinitions in the store. */
export function startCrds({ backend, host }: ServerCore, log: Logger, signal: AbortSignal): void {
  const { stores, registry, parsed, random } = backend;
  const converterFor = converters({
    source: { store: stores.main, registry, parsed },
    host,
    random: random.fork('conversion'),
    signal,
  });
  new Crds({ backend, call: systemContext(signal), log, converterFor }).start();
}
