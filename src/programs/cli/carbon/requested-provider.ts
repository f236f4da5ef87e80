import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { VimanaError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import type { CarbonProvider } from '#vm/carbon/provider';
import { CARBON_CONFIG_MAP, type CarbonSettings, providerOf } from '#vm/carbon/settings';
import { withConnection } from '../connection.ts';
import { readTextFile } from '../manifest-files.ts';
import type { CarbonCommandDeps } from './command.ts';
import { type CarbonFlags, carbonSettings } from './flags.ts';
import { serverProvider } from './server-provider.ts';

export interface RequestedProvider {
  readonly provider: CarbonProvider;
  readonly settings: CarbonSettings;
}

/** Returns the provider that the flags of a command or the environment name, or else that of the server. */
export function requestedProvider({ io, clock, connect }: CarbonCommandDeps, command: Command): RequestedProvider {
  const settings = carbonSettings(command.optsWithGlobals<CarbonFlags>());
  const provider = providerOf(settings, {
    fetch,
    clock,
    token: process.env['VIMANA_CARBON_TOKEN'],
    readFile: (path) => readFile(path, 'utf8'),
    readToken: (path) => readTextFile(io, path),
    readConfigMap: () => withConnection(connect, command, ({ client }) => configMapText(client)),
  });
  const ofServer = serverProvider((run) => withConnection(connect, command, ({ client }) => run(client)));
  return { provider: provider ?? ofServer, settings };
}

/** Looks in all namespaces: the operator reads its own, which a user need not know. */
async function configMapText(client: Client): Promise<string> {
  const { name, key } = CARBON_CONFIG_MAP;
  const { items } = await client.list(CONFIG_MAPS, { fieldSelector: `metadata.name=${name}` });
  const texts = items.flatMap(({ data }) => data?.[key] ?? []);
  const [text, another] = texts;
  if (text !== undefined && another === undefined) return text;
  throw new VimanaError(
    'NOT_FOUND',
    text === undefined
      ? `no ConfigMap ${name} with the key ${key} in any namespace`
      : `found ${texts.length} ConfigMaps ${name} in different namespaces`,
    { hint: 'Use a file instead: --carbon-provider file --carbon-data grid.yaml.' },
  );
}
