import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import type { Runnable } from '#platform/runtime/runnable';
import { poll } from './poll.ts';

/** Identity of the API server when it forwards a request, and the headers that name the user. */
export interface FrontProxy {
  readonly ca: string;
  /** Allowed common names of its certificate. Empty means any. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

export interface ProxiedUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** ConfigMap in which every Kubernetes API server publishes it. */
export const FRONT_PROXY = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

/** Parses the cluster's front proxy configuration. Returns undefined if it has none. */
export function readFrontProxy(data: Readonly<Record<string, string>>): FrontProxy | undefined {
  const ca = data['requestheader-client-ca-file'] ?? '';
  if (ca === '') return undefined;
  const list = (key: string): string[] => {
    const value: unknown = JSON.parse(data[key] ?? '[]');
    return Array.isArray(value) ? value.map(String) : [];
  };
  return {
    ca,
    allowedNames: list('requestheader-allowed-names'),
    usernameHeaders: list('requestheader-username-headers'),
    groupHeaders: list('requestheader-group-headers'),
    extraPrefixes: list('requestheader-extra-headers-prefix'),
  };
}

/** Returns the user of a request, or undefined if it does not come from the front proxy or names no user. */
export function proxiedUser(request: IncomingMessage, proxy: FrontProxy | undefined): ProxiedUser | undefined {
  const socket = request.socket as Partial<TLSSocket>;
  if (proxy === undefined || socket.authorized !== true) return undefined;
  const { CN } = socket.getPeerCertificate?.().subject ?? {};
  const names = proxy.allowedNames;
  if (names.length > 0 && !(typeof CN === 'string' && names.includes(CN))) return undefined;
  const headers = request.headersDistinct;
  const all = (keys: readonly string[]) => keys.flatMap((key) => headers[key.toLowerCase()] ?? []);
  const [name] = all(proxy.usernameHeaders);
  if (name === undefined || name === '') return undefined;
  return { name, groups: all(proxy.groupHeaders), extra: extraOf(headers, proxy.extraPrefixes) };
}

function extraOf(headers: NodeJS.Dict<string[]>, prefixes: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const prefix of prefixes.map((each) => each.toLowerCase())) {
    for (const [header, values = []] of Object.entries(headers)) {
      if (header.startsWith(prefix)) extra[decodeHeader(header.slice(prefix.length))] = values;
    }
  }
  return extra;
}

function decodeHeader(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface FrontProxyWatch extends Runnable {
  readonly current: FrontProxy | undefined;
}

/** Keeps the front proxy configuration current, since its CA changes now and then. */
export function followFrontProxy(
  { client, clock, log }: { readonly client: Client; readonly clock: Clock; readonly log: Logger },
  onChange: () => void,
): FrontProxyWatch {
  let current: FrontProxy | undefined;
  return {
    name: 'front proxy',
    get current() {
      return current;
    },
    run: (signal) =>
      poll(
        clock,
        signal,
        async () => {
          const { namespace, name } = FRONT_PROXY;
          const { data = {} } = await client.get(CONFIG_MAPS, name, { namespace, signal });
          const found = readFrontProxy(data);
          const isNew = found?.ca !== current?.ca;
          current = found;
          if (isNew) onChange();
        },
        (error) => log.warn({ err: error }, 'cannot read the front proxy configuration of the cluster; retrying'),
      ),
  };
}
