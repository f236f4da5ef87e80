import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { concatBytes } from '#platform/base/bytes';
import type { VmDeps } from '../../vm-deps.ts';
import { subresourcePath, withGuest } from './guest-target.ts';

/** Adds `vm screenshot`, which saves a picture of the screen of a guest. */
export function addScreenshotCommand(vm: Command, parts: VmDeps): void {
  vm.command('screenshot')
    .description('save a picture of the screen of a VM as PNG')
    .argument('<name>')
    .option('--file <file>', 'file to write (default: NAME.png)')
    .action((name: string, { file = `${name}.png` }: { file?: string }, command: Command) =>
      withGuest(parts, command, name, async (target) => {
        const { io, signal } = parts;
        const pieces = [];
        const path = subresourcePath(target, 'vnc/screenshot');
        for await (const piece of await target.connection.stream(path, signal)) pieces.push(piece);
        await writeFile(file, concatBytes(pieces));
        io.out(`${file}\n`);
      }),
    );
}
