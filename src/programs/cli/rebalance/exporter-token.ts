import { ConfigError } from '#platform/base/errors';
import { readToken, tokenFileOf } from '#platform/kube/access-token';

/** An exporter that listens on all addresses is reachable at these too. */
const ALL: Readonly<Record<string, readonly string[]>> = { '127.0.0.1': ['0.0.0.0', '::'], '::1': ['::'] };

/**
 * Returns the token for an exporter: from the given file, or from the one that an exporter of this user wrote for this
 * very address. A name such as localhost does not count, since it may lead to a server of another user at another
 * address.
 */
export function exporterToken(url: string, file?: string): string | undefined {
  if (file !== undefined) {
    const token = readable(file);
    if (token !== undefined) return token;
    throw new ConfigError(`the token file ${file} does not exist`, {
      hint: 'vimana up and vimana exporter print the path of their token file when they start.',
    });
  }
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replaceAll(/[[\]]/g, '');
  const number = port === '' ? { 'http:': 80, 'https:': 443 }[protocol] : Number(port);
  const others = ALL[host];
  if (others === undefined || number === undefined) return undefined;
  return [host, ...others].map((each) => readable(tokenFileOf(each, number))).find((token) => token !== undefined);
}

function readable(file: string): string | undefined {
  try {
    return readToken(file);
  } catch (cause) {
    throw new ConfigError(`the token file ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
