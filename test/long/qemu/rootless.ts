import { readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { Cgroups } from '#vm/node/qemu/isolation/cgroups';
import { probeIsolation } from '#vm/node/qemu/isolation/probe-isolation';
import { QemuDriver } from '#vm/node/qemu/qemu-driver';
import { isoImage } from '#vm/node/qemu/seed/iso-image';
import { createOverlay, QEMU } from './guest.ts';
import { specOf } from './spec.ts';

/** Runs a machine as the user of this process, and prints what is known about it and what its guest serves. */
const [root = '', image = ''] = process.argv.slice(2);
const WEB = '#!/bin/sh\nmkdir /web; echo "page of guest" >/web/index.html; httpd -p 8000 -h /web\n';
const isolation = await probeIsolation({ isRoot: false, addresses: [] });
const driver = await QemuDriver.open({
  ...{ clock: realClock, log: noopLogger, root, cluster: 'cluster', node: 'node', bootId: 'boot', isolation },
  cgroups: await Cgroups.open(`rootless-${process.pid}`),
  host: { binary: QEMU, accelerator: 'tcg', machineTypes: new Map([['q35', 'q35']]) },
  async prepareDisks(_spec, directory) {
    createOverlay(image, join(directory, 'root.qcow2'));
    const files = { 'user-data': Buffer.from(WEB), 'meta-data': Buffer.from('local-hostname: guest\n') };
    await writeFile(join(directory, 'seed.iso'), isoImage('cidata', files));
    return [
      { name: 'root', file: 'root.qcow2', format: 'qcow2', readonly: false },
      { name: 'seed', file: 'seed.iso', format: 'raw', readonly: true },
    ];
  },
});
const nic = { name: 'default', mac: '02:00:00:00:00:2c', model: 'virtio', ip: '10.244.7.44' };
await driver.start({ ...specOf('m'), nics: [nic] });
const pid = Number(await readFile(join(root, 'm', 'qemu.pid'), 'utf8'));
const status = await readFile(`/proc/${pid}/status`, 'utf8');
const page = await getPage();
const found = {
  isolation: isolation.user,
  hasOwnNetwork: (await readlink(`/proc/${pid}/ns/net`)) !== (await readlink('/proc/self/ns/net')),
  capabilities: /CapEff:\t(\w+)/.exec(status)?.[1],
  page: page.trim().split('\n').at(-1),
};
process.stdout.write(JSON.stringify(found));
await driver.remove('m');
driver.close();

/** Gets a page of the guest, which refuses connections until it has booted. */
async function getPage(): Promise<string> {
  for (;;) {
    const stream = await driver.connect('m', 8000).catch(() => undefined);
    if (stream !== undefined) {
      stream.end('GET /index.html HTTP/1.0\r\n\r\n');
      return await text(stream);
    }
    await realClock.sleep(200);
  }
}
