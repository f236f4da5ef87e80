import type { InstanceStatus } from '#api/kubevirt/virtual-machine-instance';
import type { GuestInfo, GuestInterface } from '../machine-driver.ts';
import type { MachineNic } from '../machine-spec.ts';

type InterfaceStatus = NonNullable<InstanceStatus['interfaces']>[number];
type Nic = Pick<MachineNic, 'name' | 'mac'> & { readonly ip: string | undefined };

/** Maximum number of interfaces that only the guest knows, such as bridges of its containers. */
const MAX_GUEST_INTERFACES = 16;

/**
 * Returns the interfaces of a machine, and those that only its guest agent reports. `ipAddress` is always the address
 * that the machine was given: what a guest says about itself must not direct the traffic of others.
 */
export function machineInterfaces(nics: readonly Nic[], guest: GuestInfo | undefined): InterfaceStatus[] {
  const reported = guest?.interfaces ?? [];
  const own = nics.map((nic): InterfaceStatus => {
    const { name, mac, ip } = nic;
    const found = reported.find((each) => mac !== '' && each.mac === mac.toLowerCase());
    const addresses = [...new Set([...(ip === undefined ? [] : [ip]), ...(found?.addresses ?? [])])];
    return {
      name,
      ...(mac === '' ? {} : { mac }),
      ...(found === undefined ? {} : { interfaceName: found.name }),
      ...(ip === undefined ? {} : { ipAddress: ip }),
      ...(addresses.length === 0 ? {} : { ipAddresses: addresses }),
      infoSource: guest === undefined ? 'domain' : 'domain, guest-agent',
    };
  });
  const macs = new Set(nics.map(({ mac }) => mac.toLowerCase()));
  const others = reported.filter(({ mac }) => !macs.has(mac)).slice(0, MAX_GUEST_INTERFACES);
  return [...own, ...others.map(guestInterface)];
}

function guestInterface({ name, mac, addresses }: GuestInterface): InterfaceStatus {
  return {
    interfaceName: name,
    mac,
    ...(addresses.length === 0 ? {} : { ipAddresses: [...addresses] }),
    infoSource: 'guest-agent',
  };
}
