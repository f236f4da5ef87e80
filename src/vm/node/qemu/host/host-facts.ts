import type { DriverCondition, DriverFacts } from '../../driver-facts.ts';
import type { Isolation } from '../isolation/isolation.ts';
import type { KvmResult } from './probe-kvm.ts';

/** Label of a node with the accelerator of its machines: kvm, or tcg for emulation. */
const ACCELERATOR_LABEL = 'vimana.io/accelerator';

export interface HostFindings {
  readonly kvm: KvmResult;
  readonly isolation: Isolation;
  /** Reason why machines are not limited by cgroups. */
  readonly limitsMissing: string | undefined;
}

/** Returns what the Node reports about its host. */
export function hostFacts({ kvm, isolation, limitsMissing }: HostFindings): DriverFacts {
  const { user, network, limitation = 'guests reach the internet' } = isolation;
  return {
    labels: { [ACCELERATOR_LABEL]: kvm.works ? 'kvm' : 'tcg' },
    conditions: [
      acceleration(kvm),
      user === 'none'
        ? { type: 'MachinesIsolated', status: 'False', reason: 'NoNamespaces', message: limitation }
        : {
            ...{ type: 'MachinesIsolated', status: 'True', reason: user === 'uid' ? 'OwnUser' : 'UserNamespace' },
            message: `each machine has ${user === 'uid' ? 'a user' : 'a user namespace'} and a network of its own`,
          },
      limitsMissing === undefined
        ? { type: 'MachinesLimited', status: 'True', reason: 'Cgroups', message: 'cgroups limit memory and processors' }
        : { type: 'MachinesLimited', status: 'False', reason: 'NoCgroups', message: limitsMissing },
      {
        ...{ type: 'GuestNetworkReady', status: 'True' },
        reason: network === 'internet' ? 'Internet' : 'PrivateNetwork',
        message: network === 'internet' ? 'guests reach the internet, but not this host' : limitation,
      },
    ],
  };
}

/** Returns the conditions that every instance on a host reports. */
export function machineConditions({ kvm, isolation }: HostFindings): DriverCondition[] {
  const { network, limitation = '' } = isolation;
  const isPrivate = network === 'private';
  return [
    acceleration(kvm),
    ...(isPrivate
      ? [{ type: 'NetworkReady', status: 'True', reason: 'PrivateNetwork', message: limitation } as const]
      : []),
  ];
}

function acceleration({ works, message }: KvmResult): DriverCondition {
  return works
    ? { type: 'HardwareAccelerated', status: 'True', reason: 'KVM', message: 'KVM runs guests' }
    : {
        ...{ type: 'HardwareAccelerated', status: 'False', reason: 'Emulated' },
        message: `QEMU emulates the processor (TCG), because KVM is not usable: ${message}`,
      };
}
