import { resolve } from 'node:path';
import { explainedFailure } from '#control-plane/apiserver/store/disk-failure';
import { StoreError } from '#control-plane/apiserver/store/store-error';
import { ConfigError, VimanaError } from '#platform/base/errors';
import { KubeError } from '#platform/kube/kube-error';
import { defaultDataDir } from '#programs/instances/default-data-dir';
import { type Instance, runningInstances } from '#programs/instances/registry';
import { holderOf, listenersOf } from './port-holder.ts';

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
  if (error instanceof StoreError && error.code === 'FolderInUse') return alreadyRunning(dataDir, error);
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
      holder === undefined ? `. To see which process uses it: ${listenersOf(port ?? 0)}` : ', or stop that process.';
    const instance = runningInstances().find(({ run }) => run.pid === holder?.pid);
    if (instance !== undefined) return portOfInstance(port, instance, error);
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
  if (path !== undefined && isOneIn(resolve(path), resolve(dataDir))) {
    return new ConfigError(`the data directory ${dataDir} cannot be used: ${message}`, {
      cause: error,
      hint: `${REMEDIES[code ?? ''] ?? ''}Choose another directory with --data-dir, or set HOME or XDG_DATA_HOME to one that can be written.`,
    });
  }
  return withDiskExplanation(error, dataDir);
}

/** Explains a store that cannot be written, such as on a full disk. */
function withDiskExplanation(error: unknown, dataDir: string): unknown {
  const isUnavailable = error instanceof KubeError && error.reason === 'ServiceUnavailable';
  const explained = explainedFailure(dataDir, error);
  if (!isUnavailable && explained === error) return error;
  const why =
    explained === error ? (error as Error).message : (explained as Error).message.replace(/: writes then .*/, '');
  return new VimanaError('STORE_UNAVAILABLE', `the data directory ${dataDir} cannot be written: ${why}`, {
    cause: error,
    hint: 'Then start again: nothing that was stored is lost. Or choose another directory with --data-dir.',
  });
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free space on it. ',
  EDQUOT: 'The disk quota of this user is exceeded: free space, or increase the quota. ',
  EROFS: 'Its file system is mounted read-only. ',
};

/** Reports whether one of two paths contains the other. */
const isOneIn = (one: string, other: string) => `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);

/** Explains that the data directory has a process already. */
function alreadyRunning(dataDir: string, cause: unknown): ConfigError {
  const instance = runningInstances().find((each) => each.dataDir === resolve(dataDir));
  const which = resolve(dataDir) === resolve(defaultDataDir('up')) ? '' : ` --data-dir ${dataDir}`;
  const remedies = `Stop it: vimana down${which}\nStart another beside it: vimana up --port 0 --data-dir DIRECTORY`;
  if (instance === undefined) {
    return new ConfigError(`the data directory ${dataDir} is in use by another control plane`, {
      cause,
      hint: remedies,
    });
  }
  const { url, pid, kubeconfig } = instance.run;
  return new ConfigError(`Vimana is already running in ${dataDir} at ${url} (process ${pid})`, {
    cause,
    hint: `Use it: export KUBECONFIG=${kubeconfig}\n${remedies}`,
  });
}

/** Explains that another instance has the port. */
function portOfInstance(port: number | undefined, { dataDir, run }: Instance, cause: unknown): ConfigError {
  return new ConfigError(`Vimana is already running at ${run.url} in ${dataDir}, and uses port ${port}`, {
    cause,
    hint: `Start this one beside it with --port 0, which picks free ports for all listeners, or stop the other: vimana down --data-dir ${dataDir}`,
  });
}
