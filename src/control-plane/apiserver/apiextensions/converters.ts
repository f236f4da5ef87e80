import type { Random } from '#platform/base/random';
import {
  destinationOf,
  type ResolveService,
  UnresolvedServiceError,
  urlOf,
} from '../admission/webhooks/client-config.ts';
import type { ServerHost } from '../host.ts';
import type { ObjectSource } from '../object-source.ts';
import { type Convert, renameVersion } from './conversion.ts';
import type { Crd } from './crd.ts';
import { type CallWebhook, webhookConverter } from './webhook-conversion.ts';

export interface ConverterDeps {
  readonly source: ObjectSource;
  readonly host: Pick<ServerHost, 'post'>;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Resolves services of webhooks outside the cluster. Defaults to their endpoints. */
  readonly resolveService?: ResolveService;
}

/** Returns the converter of a CRD by its conversion strategy. */
export function converters(parts: ConverterDeps): (definition: Crd) => Convert {
  const { source, host, random, signal, resolveService = () => undefined } = parts;
  const callWebhook: CallWebhook = async (client, body, timeoutSeconds) => {
    try {
      return await host.post(destinationOf(client, source, resolveService), body, timeoutSeconds, signal);
    } catch (error) {
      if (!(error instanceof UnresolvedServiceError)) throw error;
      const url = JSON.stringify(`${urlOf(client)}?timeout=${timeoutSeconds}s`);
      throw new Error(`Post ${url}: ${error.message}`, { cause: error });
    }
  };
  const uuid = (): string => random.uuid();
  return (definition) =>
    definition.spec.conversion?.strategy === 'Webhook'
      ? webhookConverter(definition, { callWebhook, uuid })
      : renameVersion;
}
