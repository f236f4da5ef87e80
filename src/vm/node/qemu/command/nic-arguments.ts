import type { MachineNic, MachineSpec } from '../../machine-spec.ts';
import { NotSupportedError } from '../../not-supported-error.ts';
import { guestNetwork } from '../network/guest-network.ts';
import type { QemuHost } from './qemu-host.ts';

const MODELS: Readonly<Record<string, string>> = {
  virtio: 'virtio-net-pci',
  e1000: 'e1000',
  e1000e: 'e1000e',
  rtl8139: 'rtl8139',
};

/** Returns the name of a network interface's backend, by its place among the interfaces. */
export const netdevId = (at: number) => `net${at}`;

/** Returns the arguments for the network interfaces. Each is on a network of its own, in the machine's namespace. */
export function nicArguments({ nics }: MachineSpec, host: Pick<QemuHost, 'outbound'>): string[] {
  return nics.flatMap((nic, at) => {
    const { name, mac, model } = nic;
    const driver = MODELS[model];
    if (driver === undefined) throw new NotSupportedError('qemu', `interface ${name}: model ${model}`);
    const device = { driver, id: `nic${at}`, netdev: netdevId(at), ...(mac === '' ? {} : { mac }) };
    return ['-netdev', netdev(nic, at, host.outbound === true), '-device', JSON.stringify(device)];
  });
}

/**
 * Returns the user network of an interface. Where the machine's namespace does not end at the host, the network is
 * restricted: it would otherwise reach the services on the loopback interface of the host.
 */
function netdev({ ip }: MachineNic, at: number, outbound: boolean): string {
  const network = ip === undefined ? undefined : guestNetwork(ip);
  const restrict = outbound && network !== undefined ? 'off' : 'on';
  const base = `user,id=${netdevId(at)},ipv6=off,restrict=${restrict}`;
  if (network === undefined) return base;
  const { range, gateway, dns, address } = network;
  return `${base},net=${range},host=${gateway},dns=${dns},dhcpstart=${address}`;
}
