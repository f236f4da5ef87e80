import { InvalidArgumentError } from 'commander';

/** Address to listen on. Without a host, all addresses of the host are used. */
export interface BindAddress {
  readonly host?: string;
  readonly port: number;
}

/** Parses `:8080`, `127.0.0.1:8080` or `[::1]:8080`. As in Kubernetes controllers, `0` disables the listener. */
export function bindAddress(text: string): BindAddress | 'nowhere' {
  if (text === '0') return 'nowhere';
  const found = /^(?:\[(?<v6>[^\]]+)\]|(?<host>[^:[\]]*)):(?<port>\d{1,5})$/.exec(text)?.groups;
  const port = Number(found?.['port'] ?? Number.NaN);
  if (found === undefined || Number.isNaN(port) || port > 65_535) {
    throw new InvalidArgumentError('It must be HOST:PORT or :PORT, or 0 to disable it.');
  }
  const host = found['v6'] ?? found['host'] ?? '';
  return host === '' ? { port } : { host, port };
}
