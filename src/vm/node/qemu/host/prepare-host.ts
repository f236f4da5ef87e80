import { networkInterfaces, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import type { QemuHost } from '../command/qemu-host.ts';
import { Cgroups } from '../isolation/cgroups.ts';
import { probeIsolation } from '../isolation/probe-isolation.ts';
import type { QemuDriverOptions } from '../qemu-driver.ts';
import { hostFacts, machineConditions } from './host-facts.ts';
import { probeHost } from './probe-host.ts';
import { kvmGroup, probeKvm } from './probe-kvm.ts';

export interface HostPreparation {
  readonly clock: Clock;
  /** Directory in which results are kept that take long to find out. */
  readonly dataDir: string;
  readonly bootId: string;
}

/** Options that all drivers of a host share. */
export type PreparedHost = Required<
  Pick<QemuDriverOptions, 'host' | 'isolation' | 'cgroups' | 'capacityBytes' | 'facts' | 'conditions'>
>;

/** Finds out, once for all nodes of this process, what the host offers: QEMU, KVM, namespaces and cgroups. */
export async function prepareHost({ clock, dataDir, bootId }: HostPreparation): Promise<PreparedHost> {
  const found = await probeHost(clock, process.env['PATH'] ?? '');
  const isolation = await probeIsolation({ isRoot: process.getuid?.() === 0, addresses: hostAddresses() });
  const cgroups = await Cgroups.open(`probe-${process.pid}`);
  const ownUsers = isolation.user === 'uid';
  const { binary, version } = found;
  const kvm = await probeKvm({ binary, version, bootId, clock, ownUsers, cache: join(dataDir, 'kvm.json') });
  const findings = { kvm, isolation, limitsMissing: cgroups.limitation };
  const host: QemuHost = kvm.works ? { ...found, accelerator: 'kvm', kvmGroup: await kvmGroup() } : found;
  return {
    ...{ host, isolation, cgroups, capacityBytes: totalmem() },
    ...{ facts: hostFacts(findings), conditions: machineConditions(findings) },
  };
}

/** Returns the IPv4 addresses of this host. */
function hostAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.flatMap(({ family, address }) => (family === 'IPv4' ? [address] : []));
}
