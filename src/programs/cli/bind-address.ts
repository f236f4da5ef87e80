import { InvalidArgumentError } from 'commander';

/** Where to listen; without a host, on all addresses of the machine. */
export interface BindAddress {
  readonly host?: string;
  readonly port: number;
}

/** `:8080`, `127.0.0.1:8080` or `[::1]:8080`; `0` listens nowhere, as controllers of Kubernetes have it. */
export function bindAddress(text: string): BindAddress | 'nowhere' {
  if (text === '0') return 'nowhere';
  const found = /^(?:\[(?<v6>[^\]]+)\]|(?<host>[^:[\]]*)):(?<port>\d{1,5})$/.exec(text)?.groups;
  const port = Number(found?.['port'] ?? Number.NaN);
  if (found === undefined || Number.isNaN(port) || port > 65_535) {
    throw new InvalidArgumentError('It must be HOST:PORT or :PORT, or 0 to listen nowhere.');
  }
  const host = found['v6'] ?? found['host'] ?? '';
  return host === '' ? { port } : { host, port };
}
