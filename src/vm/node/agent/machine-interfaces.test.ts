import { describe, expect, it } from 'vitest';
import { machineInterfaces } from './machine-interfaces.ts';

const nic = { name: 'default', mac: '52:54:00:AA:00:01', ip: '10.0.0.5' };
const os = { id: '', name: '', prettyName: '', machine: '' };

describe('the interfaces in the status', () => {
  it('are those of the machine', () => {
    expect(machineInterfaces([nic, { name: 'second', mac: '', ip: undefined }], undefined)).toEqual([
      { name: 'default', mac: nic.mac, ipAddress: '10.0.0.5', ipAddresses: ['10.0.0.5'], infoSource: 'domain' },
      { name: 'second', infoSource: 'domain' },
    ]);
  });

  it('have names and further addresses of the guest, whose claims never become the address', () => {
    const interfaces = [
      { name: 'eth0', mac: '52:54:00:aa:00:01', addresses: ['169.254.169.254', 'fe80::1'] },
      { name: 'docker0', mac: '02:42:00:00:00:01', addresses: ['172.17.0.1'] },
    ];
    expect(machineInterfaces([nic], { os, interfaces })).toEqual([
      {
        name: 'default',
        mac: nic.mac,
        interfaceName: 'eth0',
        ipAddress: '10.0.0.5',
        ipAddresses: ['10.0.0.5', '169.254.169.254', 'fe80::1'],
        infoSource: 'domain, guest-agent',
      },
      { interfaceName: 'docker0', mac: '02:42:00:00:00:01', ipAddresses: ['172.17.0.1'], infoSource: 'guest-agent' },
    ]);
  });

  it('are few, however many a guest reports', () => {
    const interfaces = Array.from({ length: 60 }, (_, i) => ({
      name: `x${i}`,
      mac: `02:00:00:00:00:${i}`,
      addresses: [],
    }));
    expect(machineInterfaces([nic], { os, interfaces })).toHaveLength(17);
  });
});
