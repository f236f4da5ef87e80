import { ConfigError } from '#platform/base/errors';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '#platform/runtime/http/http-server';
import type { BindAddress } from '#programs/cli/bind-address';

const ALL = '::';
const ALL_V4 = '0.0.0.0';

/**
 * Listens on an address. Without a host it uses all addresses, with or without IPv6. `flag` is the flag that sets
 * another address.
 */
export async function listen(
  { host = ALL, port }: BindAddress,
  flag: string,
  options: Omit<HttpServerOptions, 'host' | 'port'>,
): Promise<HttpServer> {
  try {
    return await startHttpServer({ ...options, host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (host === ALL && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL')) {
      return await listen({ host: ALL_V4, port }, flag, options);
    }
    throw new ConfigError(problem(code, host, port) ?? (error as Error).message, {
      cause: error,
      hint: `Choose another with ${flag}.`,
    });
  }
}

function problem(code: string | undefined, host: string, port: number): string | undefined {
  if (code === 'EADDRINUSE') return `port ${port} is already in use`;
  if (code === 'EACCES') return `no permission to listen on port ${port}`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `the address ${host} does not belong to this host`;
  return undefined;
}
