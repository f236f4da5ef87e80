import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import { Cgroups } from '#vm/node/qemu/isolation/cgroups';
import { probeIsolation } from '#vm/node/qemu/isolation/probe-isolation';
import { QemuDriver } from '#vm/node/qemu/qemu-driver';
import { createOverlay, QEMU } from './guest.ts';
import { specOf } from './spec.ts';

/** Starts and ends machines at random until it is killed, and prints what it is about to do and what it has done. */
const [root = '', image = '', seed = ''] = process.argv.slice(2);
const IDS = ['a', 'b', 'c'];
const random = seededRandom(seed);
const say = (...words: string[]) => process.stdout.write(`${words.join(' ')}\n`);

const driver = await QemuDriver.open({
  ...{ clock: realClock, log: noopLogger, root, cluster: 'cluster', node: 'node', bootId: 'boot' },
  isolation: await probeIsolation({ isRoot: process.getuid?.() === 0, addresses: [] }),
  cgroups: await Cgroups.open(`killed-${process.pid}`),
  host: { binary: QEMU, accelerator: 'tcg', machineTypes: new Map([['q35', 'q35']]) },
  async prepareDisks(_spec, directory) {
    // An image takes a while to fetch, and the node agent may be killed meanwhile.
    await realClock.sleep(random.next() * 50);
    createOverlay(image, join(directory, 'root.qcow2'));
    await writeFile(join(directory, 'seed.iso'), '');
    return [{ name: 'root', file: 'root.qcow2', format: 'qcow2', readonly: false }];
  },
});
say('adopted', ...(await driver.list()).map(({ spec, state }) => `${spec.id}:${state}`));
for (;;) {
  const id = IDS[Math.floor(random.next() * IDS.length)] ?? 'a';
  const machine = await driver.inspect(id);
  if (machine === undefined) await start(id);
  else if (random.next() < 0.5) await end(id);
  await realClock.sleep(1);
}

async function start(id: string): Promise<void> {
  const spec = specOf(id);
  say('starting', id);
  const disks = spec.disks.filter(({ name }) => name === 'root');
  await driver.start({ ...spec, disks, startPaused: random.next() < 0.5 });
  say('started', id);
}

async function end(id: string): Promise<void> {
  say('ending', id);
  const how = random.next();
  if (how < 0.3) await driver.stop(id, 100).catch(() => undefined);
  else if (how < 0.6) await driver.kill(id, 'a test');
  await driver.remove(id);
  say('ended', id);
}
