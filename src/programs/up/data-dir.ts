import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { StoreError } from '#control-plane/apiserver/store/store-error';
import { ConfigError, VimanaError } from '#platform/base/errors';
import { holderOf } from './port-holder.ts';

/** Returns the default data directory of a command. */
export function defaultDataDir(name: string): string {
  return join(process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'vimana', name);
}

const NAMES = { up: 'vimana', apiserver: 'vimana-apiserver' } as const;

/**
 * Returns the name of cluster, user and context in a kubeconfig. It is constant for the default directory, and contains
 * the port for others, so that several can share one KUBECONFIG.
 */
export function clusterName(command: keyof typeof NAMES, dataDir: string, port: number): string {
  return resolve(dataDir) === resolve(defaultDataDir(command)) ? NAMES[command] : `vimana-${port}`;
}

/** Adds a remedy to the errors with which a start can fail. */
export function withStartExplanation(
  error: unknown,
  dataDir: string,
  flags: Readonly<Record<number, string>> = {},
): unknown {
  if (error instanceof StoreError && error.code === 'FolderInUse') {
    return new ConfigError(`the data directory ${dataDir} is in use by another control plane`, {
      cause: error,
      hint: 'Stop the other one (vimana down), or choose another directory with --data-dir.',
    });
  }
  if (error instanceof StoreError && error.code === 'Corrupt') {
    return new VimanaError('STORE_DAMAGED', `the data directory ${dataDir} cannot be served: ${error.message}`, {
      cause: error,
      hint: `Restore a backup: vimana restore FILE --data-dir ${dataDir} --replace (the present content is set aside). Without a backup, keep a copy of the directory, and use another one (--data-dir) or, to start from scratch, delete all of it.`,
    });
  }
  if (error instanceof StoreError && error.code === 'UnknownFormat') {
    return new ConfigError(`the data directory ${dataDir} has another version: ${error.message}`, {
      cause: error,
      hint: 'Use the version of Vimana that wrote it, or choose another directory with --data-dir.',
    });
  }
  return withSystemExplanation(error, dataDir, flags);
}

/** Adds a remedy to an error of the operating system. */
function withSystemExplanation(error: unknown, dataDir: string, flags: Readonly<Record<number, string>>): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  const flag = flags[port ?? -1] ?? '--port';
  if (code === 'EADDRINUSE') {
    const holder = port === undefined ? undefined : holderOf(port);
    const by = holder === undefined ? '' : ` by process ${holder.pid} (${holder.command})`;
    const ask =
      holder === undefined
        ? `. To see which process uses it: ss -ltnp 'sport = :${port ?? ''}'`
        : ', or stop that process.';
    return new ConfigError(`port ${port ?? ''} is already in use${by}`, {
      cause: error,
      hint: `Choose another with ${flag}, 0 for a free one${ask}`,
    });
  }
  if (code === 'EACCES' && port !== undefined) {
    return new ConfigError(`no permission to listen on port ${port}`, {
      cause: error,
      hint: `Only root may listen on ports below 1024; choose another with ${flag}.`,
    });
  }
  const { syscall, address, hostname, path, message } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly hostname?: string;
  };
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo') {
    return new ConfigError(`the address ${address ?? hostname ?? ''} does not belong to this host`, {
      cause: error,
      hint: 'Choose another with --bind-address; 127.0.0.1 accepts connections only from this host.',
    });
  }
  if (path !== undefined && resolve(path).startsWith(resolve(dataDir))) {
    return new ConfigError(`the data directory ${dataDir} cannot be used: ${message}`, {
      cause: error,
      hint: 'Choose another with --data-dir.',
    });
  }
  return error;
}
