import { UsageError } from '#platform/base/errors';

/** Local port, where 0 means any free one, and the port of the guest that it leads to. */
export interface PortMapping {
  readonly local: number;
  readonly remote: number;
}

/** Parses `REMOTE`, `LOCAL:REMOTE` or `:REMOTE`, as kubectl port-forward does. */
export function parsePortMapping(text: string): PortMapping {
  const [, local, remote = ''] = /^(?:(\d*):)?(\d+)$/.exec(text) ?? [];
  const mapping = { local: Number(local ?? remote), remote: Number(remote) };
  if (isPort(mapping.remote) && (mapping.local === 0 || isPort(mapping.local))) return mapping;
  throw new UsageError(`"${text}" is not a port`, { hint: 'Use 8080, 8080:80 or :80, with ports from 1 to 65535.' });
}

const isPort = (port: number) => Number.isInteger(port) && port >= 1 && port <= 65_535;
