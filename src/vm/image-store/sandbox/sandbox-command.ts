/** Resources that a sandboxed program may use. */
export interface SandboxLimits {
  readonly cpuSeconds: number;
  /** Address space in bytes. */
  readonly memoryBytes: number;
  /** Size of each file that it writes, in bytes. */
  readonly fileBytes: number;
}

export interface SandboxRequest {
  /** Program and libraries, each at its own path. Nothing else of the host's system is visible. */
  readonly program: ProgramFiles;
  readonly args: readonly string[];
  /** Files by their path in the sandbox. */
  readonly readable?: Readonly<Record<string, string>>;
  readonly writable?: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
}

/** Files that a program consists of: its path, and those of the libraries that it loads. */
export interface ProgramFiles {
  readonly path: string;
  readonly libraries: readonly string[];
}

/**
 * Returns the command that runs a program in a sandbox: new namespaces without network, an empty file system with only
 * the named files, no capabilities and no environment. A parser that is taken over by a hostile file finds nothing.
 */
export function sandboxCommand({ program, args, readable = {}, writable = {}, limits }: SandboxRequest): string[] {
  const bind = (option: string, files: Readonly<Record<string, string>>) =>
    Object.entries(files).flatMap(([inside, outside]) => [option, outside, inside]);
  return [
    'prlimit',
    `--cpu=${limits.cpuSeconds}`,
    `--as=${limits.memoryBytes}`,
    `--fsize=${limits.fileBytes}`,
    '--core=0',
    '--nofile=256',
    '--',
    'bwrap',
    ...['--unshare-all', '--unshare-user', '--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
    ...[program.path, ...program.libraries].flatMap((file) => ['--ro-bind', file, file]),
    ...bind('--ro-bind', readable),
    ...bind('--bind', writable),
    ...['--chdir', '/', '--', program.path, ...args],
  ];
}

/** Returns the libraries in the output of ldd, by the paths that the loader uses. */
export function librariesIn(output: string): string[] {
  return output.split('\n').flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}
