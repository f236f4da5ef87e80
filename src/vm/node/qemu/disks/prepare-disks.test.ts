import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import type { NodeObjects } from '../../node-objects.ts';
import { ObjectWaitError } from '../../object-wait-error.ts';
import type { ImageDisks } from './image-disks.ts';
import { prepareDisks } from './prepare-disks.ts';

const directory = mkdtempSync(join(tmpdir(), 'vimana-disks-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Secrets by name. ConfigMaps have the same names and contents. */
const STORED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  user: { userData: '#!/bin/sh\necho s3cret\n' },
  empty: {},
  answers: { 'Autounattend.xml': '<unattend/>' },
  long: { ['x'.repeat(200)]: '' },
};
const objects: NodeObjects = {
  async read({ name }) {
    const stored = STORED[name];
    if (stored === undefined) return undefined;
    const entries = Object.entries(stored).map(([key, text]) => [key, Buffer.from(text)] as const);
    return { entries: Object.fromEntries(entries), version: '7' };
  },
  async waitForChange() {},
};
const sources = { images: {} as ImageDisks, objects };
const diskOf = (name: string, volume: object, bus = 'virtio') =>
  ({ name, target: 'disk', bus, readonly: false, volume: { name, ...volume } }) as MachineDisk;
const specOf = (...disks: MachineDisk[]) =>
  ({
    id: 'uid-1',
    name: 'web',
    namespace: 'shop',
    firmware: { uuid: 'u' },
    annotations: {},
    disks,
  }) as unknown as MachineSpec;
const noCloud = (secret: string) => ({ cloudInitNoCloud: { secretRef: { name: secret } } });

describe('disks of a real machine', () => {
  it('rejects every volume and credential that is not supported, by name and in one error', async () => {
    const source = { secret: { secretName: 'keys' } };
    const spec = {
      ...specOf(
        diskOf('data', { ephemeral: { claimName: 'c' } }),
        diskOf('root', { emptyDisk: { capacity: '1Gi' } }),
        diskOf('memory', { memoryDump: {} }),
      ),
      accessCredentials: [
        { userPassword: { source, propagationMethod: { qemuGuestAgent: {} } } },
        { sshPublicKey: { source, propagationMethod: { qemuGuestAgent: { users: ['root'] } } } },
      ],
    };
    await expect(prepareDisks(spec, '/nowhere', sources)).rejects.toThrow(
      'volume data: ephemeral; volume memory: memoryDump; accessCredentials[0]: userPassword; ' +
        'accessCredentials[1]: sshPublicKey through qemuGuestAgent is not supported by the qemu driver',
    );
  });

  it('writes a seed for the owner only, the same bytes each time', async () => {
    const spec = specOf(diskOf('seed', noCloud('user')), diskOf('sata', noCloud('user'), 'sata'));
    expect(await prepareDisks(spec, directory, sources)).toEqual([
      { name: 'seed', file: 'seed0.iso', format: 'raw', readonly: true },
      { name: 'sata', file: 'seed1.iso', format: 'raw', readonly: false },
    ]);
    const [first, second] = ['seed0.iso', 'seed1.iso'].map((file) => readFileSync(join(directory, file)));
    expect(first?.includes('s3cret')).toBe(true);
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
    expect(statSync(join(directory, 'seed0.iso')).mode & 0o777).toBe(0o600);
  });

  it('names all objects that lack something in one error, and writes nothing', async () => {
    const before = readdirSync(directory);
    const spec = specOf(
      diskOf('a', noCloud('gone')),
      diskOf('b', noCloud('empty')),
      diskOf('c', { sysprep: { configMap: { name: 'user' } } }),
      diskOf('d', { configMap: { name: 'gone', optional: true } }),
      diskOf('e', { sysprep: { secret: { name: 'answers' } } }),
    );
    const failure: unknown = await prepareDisks(spec, directory, sources).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ObjectWaitError);
    expect(failure).toMatchObject({
      message:
        'Secret "shop/gone" not found (volume a: cloudInitNoCloud.secretRef); ' +
        'Secret "shop/empty" has no key userdata (volume b: cloudInitNoCloud.secretRef); ' +
        'ConfigMap "shop/user" has no key autounattend.xml or unattend.xml (volume c: sysprep.configMap)',
    });
    expect(readdirSync(directory)).toEqual(before);
  });

  it('rejects a name that no file on the seed can have', async () => {
    const spec = specOf(diskOf('files', { secret: { secretName: 'long' } }));
    await expect(prepareDisks(spec, directory, sources)).rejects.toThrow('is too long for a file');
  });

  it('writes the Ignition configuration to a file for the owner only', async () => {
    const annotations = { 'kubevirt.io/ignitiondata': '{"ignition":{}}' };
    await prepareDisks({ ...specOf(), annotations }, directory, sources);
    expect(readFileSync(join(directory, 'ignition.json'), 'utf8')).toBe('{"ignition":{}}');
    expect(statSync(join(directory, 'ignition.json')).mode & 0o777).toBe(0o600);
  });
});
