import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { prepareHost } from '#vm/node/qemu/host/prepare-host';
import { QemuDriver } from '#vm/node/qemu/qemu-driver';
import { createOverlay } from '../../../test/long/qemu/guest.ts';
import { specOf } from '../../../test/long/qemu/spec.ts';
import { waitForGuest } from './raw-qemu.ts';

/** Boots guests, two at a time, and prints memory of this process, keepers and guests that live at the end, as JSON. */
const [root = '', image = '', count = '0'] = process.argv.slice(2);
const AT_ONCE = 2;
const ready = await prepareHost({ clock: realClock, dataDir: root, bootId: 'boot' });
const driver = await QemuDriver.open({
  ...{ ...ready, clock: realClock, log: noopLogger, cluster: 'bench', node: 'node', bootId: 'boot' },
  root: join(root, 'machines'),
  async prepareDisks(_spec, directory) {
    createOverlay(image, join(directory, 'root.qcow2'));
    return [{ name: 'root', file: 'root.qcow2', format: 'qcow2', readonly: false }];
  },
});
const before = await residentBytes();
const ids = Array.from({ length: Number(count) }, (_, at) => `g${at}`);
const waiting = [...ids];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const spec = specOf(id);
      await driver.start({ ...spec, disks: spec.disks.filter(({ name }) => name === 'root') });
      await waitForGuest(join(root, 'machines', id));
    }
  }),
);
const alive = (await driver.list()).filter(({ state }) => state === 'running').length;
const keepers = await Promise.all(ids.map((id) => keeperBytes(join(root, 'machines', id))));
process.stdout.write(JSON.stringify({ before, after: await residentBytes(), alive, keeper: Math.max(0, ...keepers) }));
for (const id of ids) await driver.remove(id);
driver.close();

async function residentBytes(): Promise<number> {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

/** Returns the memory that only a keeper uses: both of its shells and their sleeping child. */
async function keeperBytes(directory: string): Promise<number> {
  const guard = (await readFile(join(directory, 'pid'), 'utf8')).trim();
  const children = (await readFile(`/proc/${guard}/task/${guard}/children`, 'utf8')).trim().split(' ');
  const sizes = await Promise.all([guard, ...children].map((pid) => privateBytes(pid)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function privateBytes(pid: string): Promise<number> {
  const sizes = (await readFile(`/proc/${pid}/smaps`, 'utf8').catch(() => '')).matchAll(/^Private_\w+: +(\d+) kB$/gm);
  return [...sizes].reduce((sum, [, size]) => sum + Number(size) * 1024, 0);
}
