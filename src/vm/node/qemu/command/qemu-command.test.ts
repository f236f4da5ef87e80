import { describe, expect, it } from 'vitest';
import type { MachineSpec } from '../../machine-spec.ts';
import { NotSupportedError } from '../../not-supported-error.ts';
import { qemuCommand } from './qemu-command.ts';
import type { QemuHost } from './qemu-host.ts';

const host: QemuHost = {
  binary: '/usr/bin/qemu-system-x86_64',
  accelerator: 'tcg',
  machineTypes: new Map([['q35', 'pc-q35-7.2']]),
};
const disk = { name: 'root', target: 'disk', bus: 'virtio', readonly: false, volume: { name: 'root' } } as const;
const spec: MachineSpec = {
  id: 'u1',
  name: 'web',
  namespace: 'shop',
  pod: { name: 'p', uid: 'p' },
  cpu: { sockets: 2, cores: 1, threads: 2 },
  maxSockets: 2,
  memoryBytes: 512 * 2 ** 20,
  maxMemoryBytes: 512 * 2 ** 20,
  disks: [disk],
  nics: [{ name: 'default', mac: '02:00:00:00:00:01', model: 'virtio' }],
  firmware: { uuid: 'u1', loader: 'bios', secureBoot: false, machineType: 'q35' },
  startPaused: false,
  annotations: {},
};
const root = { name: 'root', file: 'disk0.qcow2', format: 'qcow2', readonly: false } as const;
const commandOf = (change: Partial<MachineSpec>) => qemuCommand({ ...spec, ...change }, [root], host);
/** Returns the values of an option. */
const valuesOf = (command: readonly string[], option: string) =>
  command.flatMap((word, at) => (word === option ? [command[at + 1]] : []));

describe('the command line of QEMU', () => {
  it('describes the whole machine, which starts paused and does not end by itself', () => {
    const command = commandOf({});
    expect(command[0]).toBe(host.binary);
    expect(command).toContain('-S');
    expect(valuesOf(command, '-machine')).toEqual(['pc-q35-7.2,graphics=on']);
    expect(valuesOf(command, '-name')).toEqual(['guest=shop/web']);
    expect(valuesOf(command, '-uuid')).toEqual(['u1']);
    expect(valuesOf(command, '-smp')).toEqual(['4,sockets=2,cores=1,threads=2']);
    expect(valuesOf(command, '-m')).toEqual(['size=512M']);
    expect(valuesOf(command, '-action')).toEqual(['reboot=reset,shutdown=pause,panic=pause']);
    expect(valuesOf(command, '-accel')).toEqual(['tcg,tb-size=16']);
  });

  it('denies system calls that QEMU does not need, and listens on Unix sockets only', () => {
    const command = commandOf({});
    expect(valuesOf(command, '-sandbox')).toEqual([
      'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny',
    ]);
    const channel = /^socket,id=\w+,path=sockets\/\w+\.sock,|^pipe,id=keeper,path=power$/;
    for (const chardev of valuesOf(command, '-chardev')) expect(chardev).toMatch(channel);
    expect(valuesOf(command, '-vnc')).toEqual(['unix:sockets/vnc.sock']);
    expect(valuesOf(command, '-netdev')).toEqual(['user,id=net0,ipv6=off,restrict=on']);
  });

  it('offers a guest its own address, and the internet where the namespace of its machine ends at the host', () => {
    const nics = [
      { name: 'default', mac: '', model: 'virtio', ip: '10.244.7.42' },
      { name: 'other', mac: '', model: 'e1000' },
    ];
    const netdevs = (outbound: boolean) =>
      valuesOf(qemuCommand({ ...spec, nics }, [root], { ...host, outbound }), '-netdev');
    const network = 'net=10.244.7.0/24,host=10.244.7.1,dns=10.244.7.2,dhcpstart=10.244.7.42';
    expect(netdevs(true)).toEqual([
      `user,id=net0,ipv6=off,restrict=off,${network}`,
      'user,id=net1,ipv6=off,restrict=on',
    ]);
    expect(netdevs(false)[0]).toBe(`user,id=net0,ipv6=off,restrict=on,${network}`);
  });

  it('names the image below an overlay where its path is not reachable', () => {
    const overlay = { ...root, base: { file: 'image0', format: 'raw' } } as const;
    const [node = ''] = valuesOf(qemuCommand(spec, [overlay], host), '-blockdev');
    expect(JSON.parse(node)).toMatchObject({
      backing: { driver: 'raw', 'read-only': true, file: { filename: 'image0', locking: 'off' } },
    });
  });

  it('names the format of each image, and pauses the guest when the disk is full', () => {
    const command = commandOf({});
    expect(valuesOf(command, '-blockdev').map((text) => JSON.parse(text ?? '') as unknown)).toEqual([
      {
        driver: 'qcow2',
        'node-name': 'disk0',
        'read-only': false,
        discard: 'unmap',
        file: { driver: 'file', filename: 'disk0.qcow2', 'read-only': false, locking: 'on' },
      },
    ]);
    expect(valuesOf(command, '-device').join()).toContain(
      '{"driver":"virtio-blk-pci","id":"drive0","drive":"disk0","werror":"enospc"}',
    );
  });

  it.each([
    ['sata', 'disk', 'ide-hd'],
    ['scsi', 'disk', 'scsi-hd'],
    ['sata', 'cdrom', 'ide-cd'],
    ['scsi', 'cdrom', 'scsi-cd'],
  ] as const)('connects a disk on %s as %s', (bus, target, driver) => {
    const command = commandOf({ disks: [{ ...disk, bus, target, bootOrder: 1 }] });
    expect(valuesOf(command, '-device').join()).toContain(
      `{"driver":"${driver}","id":"drive0","drive":"disk0","bootindex":1`,
    );
    expect(command.includes('virtio-scsi-pci,id=scsi0')).toBe(bus === 'scsi');
  });

  it('passes an Ignition configuration as a file, never as an argument', () => {
    const command = commandOf({ annotations: { 'kubevirt.io/ignitiondata': 's3cret' } });
    expect(valuesOf(command, '-fw_cfg')).toEqual(['name=opt/com.coreos/config,file=ignition.json']);
    expect(command.join(' ')).not.toContain('s3cret');
  });

  it('escapes commas in names', () => {
    expect(valuesOf(commandOf({ name: 'a,debug-threads=on' }), '-name')).toEqual(['guest=shop/a,,debug-threads=on']);
  });

  it.each([
    ['machine type virt', { firmware: { ...spec.firmware, machineType: 'virt' } }],
    ['UEFI (firmware.bootloader.efi)', { firmware: { ...spec.firmware, loader: 'efi' } }],
    ['disk root: bus usb', { disks: [{ ...disk, bus: 'usb' }] }],
    ['disk root: target lun', { disks: [{ ...disk, target: 'lun' }] }],
    ['disk root: a CD-ROM on virtio', { disks: [{ ...disk, target: 'cdrom' }] }],
    ['interface default: model ne2k_pci', { nics: [{ name: 'default', mac: '', model: 'ne2k_pci' }] }],
  ] as const)('rejects %s by name', (what, change) => {
    expect(() => commandOf(change)).toThrow(NotSupportedError);
    expect(() => commandOf(change)).toThrow(`${what} is not supported by the qemu driver`);
  });
});
