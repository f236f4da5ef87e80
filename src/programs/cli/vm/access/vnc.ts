import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Command } from 'commander';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import { portNumber } from '../../port-number.ts';
import type { VmDeps } from '../../vm-deps.ts';
import { openGuestStream, withGuest } from './guest-target.ts';
import { listenLocally } from './listen-locally.ts';

/** Viewers that are started if they are installed, with their arguments for a local port. */
const VIEWERS: Readonly<Record<string, (port: number) => string[]>> = {
  'remote-viewer': (port) => [`vnc://127.0.0.1:${port}`],
  vncviewer: (port) => [`127.0.0.1::${port}`],
  xtightvncviewer: (port) => [`127.0.0.1::${port}`],
};

interface VncFlags {
  readonly proxyOnly?: boolean;
  readonly port: number;
}

/** Adds `vm vnc`, which makes the screen of a guest available to a viewer on this host. */
export function addVncCommand(vm: Command, parts: VmDeps): void {
  vm.command('vnc')
    .description('show the screen of a VM in a VNC viewer')
    .argument('<name>')
    .option('--proxy-only', 'do not start a viewer, and print the address for one')
    .option('--port <port>', 'local port (default: any free one)', portNumber, 0)
    .action((name: string, { proxyOnly, port }: VncFlags, command: Command) =>
      withGuest(parts, command, name, async (target) => {
        const { io, signal } = parts;
        const listener = await listenLocally(
          { address: '127.0.0.1', port },
          () => openGuestStream(target, 'vnc'),
          (error) => io.err(`vnc: ${error instanceof Error ? error.message : String(error)}\n`),
        );
        try {
          io.out(`The screen of ${target.name} is at 127.0.0.1:${listener.port} (VNC) until Ctrl-C.\n`);
          const viewer = proxyOnly === true ? undefined : findViewer(process.env['PATH'] ?? '');
          if (viewer !== undefined) return await runViewer(viewer, listener.port);
          if (proxyOnly !== true) io.err(`No VNC viewer found: ${Object.keys(VIEWERS).join(', ')}.\n`);
          await waitForAbort(signal);
        } finally {
          await listener.close();
        }
      }),
    );
}

function findViewer(path: string): string | undefined {
  const directories = path.split(delimiter).filter((each) => each !== '');
  return Object.keys(VIEWERS).find((name) => directories.some((directory) => isExecutable(join(directory, name))));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs a viewer until it is closed. */
async function runViewer(name: string, port: number): Promise<void> {
  const child = spawn(name, VIEWERS[name]?.(port) ?? [], { stdio: 'ignore' });
  await new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
}
