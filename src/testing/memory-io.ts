import type { Io } from '#programs/cli/io';

/** Terminal that records its output, with files in memory. */
export interface MemoryIo extends Io {
  readonly printed: { readonly out: string; readonly err: string };
}

export function memoryIo(
  files: Readonly<Record<string, string>> = {},
  directories: Readonly<Record<string, readonly string[]>> = {},
): MemoryIo {
  const printed = { out: '', err: '' };
  return {
    printed,
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    read: (path) => {
      const text = files[path];
      if (text === undefined) throw new Error('no such file');
      return text;
    },
    manifestsAt: (path) => directories[path] ?? [path],
  };
}
