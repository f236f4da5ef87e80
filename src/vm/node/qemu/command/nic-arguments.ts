import type { MachineSpec } from '../../machine-spec.ts';
import { NotSupportedError } from '../../not-supported-error.ts';

const MODELS: Readonly<Record<string, string>> = {
  virtio: 'virtio-net-pci',
  e1000: 'e1000',
  e1000e: 'e1000e',
  rtl8139: 'rtl8139',
};

/**
 * Returns the arguments for the network interfaces. Each is on a private network without access to the host
 * (`restrict=on`): unrestricted user networking would reach the services on the loopback interface of the host.
 */
export function nicArguments({ nics }: MachineSpec): string[] {
  return nics.flatMap(({ name, mac, model }, at) => {
    const driver = MODELS[model];
    if (driver === undefined) throw new NotSupportedError('qemu', `interface ${name}: model ${model}`);
    const device = { driver, id: `nic${at}`, netdev: `net${at}`, ...(mac === '' ? {} : { mac }) };
    return ['-netdev', `user,id=net${at},restrict=on`, '-device', JSON.stringify(device)];
  });
}
