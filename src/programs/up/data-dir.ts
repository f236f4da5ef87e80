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
    return new ConfigError(`the data folder ${dataDir} is in use by another control plane`, {
      cause: error,
      hint: 'Stop the other one (vimana down), or choose another folder with --data-dir.',
    });
  }
  if (error instanceof StoreError && error.code === 'Corrupt') {
    return new VimanaError('STORE_DAMAGED', `nothing is served from the data folder ${dataDir}: ${error.message}`, {
      cause: error,
      hint: `Put a backup in its place: vimana restore FILE --data-dir ${dataDir} --replace (what is there is set aside). Without a backup, keep a copy of the folder, and start with another one (--data-dir) or, to begin anew, remove all of it.`,
    });
  }
  if (error instanceof StoreError && error.code === 'UnknownFormat') {
    return new ConfigError(`the data folder ${dataDir} is of another version: ${error.message}`, {
      cause: error,
      hint: 'Use the version of Vimana that wrote it, or choose another folder with --data-dir.',
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
    const ask = holder === undefined ? `. Who has it: ss -ltnp 'sport = :${port ?? ''}'` : ', or end that process.';
    return new ConfigError(`port ${port ?? ''} is taken${by}`, {
      cause: error,
      hint: `Choose another with ${flag}, 0 for a free one${ask}`,
    });
  }
  if (code === 'EACCES' && port !== undefined) {
    return new ConfigError(`port ${port} may not be listened on`, {
      cause: error,
      hint: `Ports below 1024 are for root; choose another with ${flag}.`,
    });
  }
  const { syscall, address, hostname, path, message } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly hostname?: string;
  };
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo') {
    return new ConfigError(`the address ${address ?? hostname ?? ''} is none of this machine`, {
      cause: error,
      hint: 'Choose another with --bind-address; 127.0.0.1 is for this machine alone.',
    });
  }
  if (path !== undefined && resolve(path).startsWith(resolve(dataDir))) {
    return new ConfigError(`the data folder ${dataDir} cannot be used: ${message}`, {
      cause: error,
      hint: 'Choose another with --data-dir.',
    });
  }
  return error;
}
