import { conditions } from '#platform/schema/conditions';
import { choice, integer, list, map, object, quantity, string, timestamp } from '#platform/schema/schema';
import { migrationState } from './migration-state.ts';
import { kubevirtStatus } from './upstream.ts';

export const INSTANCE_PHASES = [
  '',
  'Pending',
  'Scheduling',
  'Scheduled',
  'Running',
  'Succeeded',
  'Failed',
  'Unknown',
] as const;
export type InstancePhase = (typeof INSTANCE_PHASES)[number];

const interfaceStatus = kubevirtStatus('VirtualMachineInstanceNetworkInterface', 'A network card as it is.', {
  name: string('Name of the card in the spec; empty for one that the guest made itself.'),
  interfaceName: string('Name of the card in the guest.'),
  mac: string('Hardware address.'),
  ipAddress: string('First address.'),
  ipAddresses: list('All addresses.', string('An address.')),
  linkState: choice('Whether the link is up or down.', ['up', 'down']),
  infoSource: string('Who says so: domain, guest-agent, multus-status or several.'),
});

const guestOSInfo = object('Operating system of the guest, as its agent tells.', {
  id: string('Short name, such as fedora.'),
  name: string('Name.'),
  prettyName: string('Name and version for people.'),
  version: string('Version for people.'),
  versionId: string('Version.'),
  kernelRelease: string('Release of the kernel.'),
  kernelVersion: string('Version of the kernel.'),
  machine: string('Architecture.'),
});

const topologyCount = (what: string) => integer(`Number of ${what}.`, { format: 'int64', minimum: 0 });

export const virtualMachineInstanceStatus = kubevirtStatus(
  'VirtualMachineInstanceStatus',
  'What was observed of the instance.',
  {
    phase: choice('Where in its life the instance is.', INSTANCE_PHASES),
    phaseTransitionTimestamps: list(
      'When each phase began.',
      object('The beginning of a phase.', {
        phase: choice('The phase.', INSTANCE_PHASES),
        phaseTransitionTimestamp: timestamp('When it began.', { nullable: true }),
      }),
    ),
    reason: string('Why the instance is as it is, in one word.'),
    nodeName: string('Node that the instance runs on.'),
    activePods: map('Pods of the instance by UID, each with its node; two during a migration.', string('A node.')),
    interfaces: list('Network cards and their addresses.', interfaceStatus),
    guestOSInfo,
    conditions: conditions(
      'Ready, LiveMigratable, AgentConnected, Paused, Provisioning, Synchronized, HotVCPUChange, HotMemoryChange',
    ),
    migrationState,
    migrationMethod: choice('LiveMigration where the disks are shared, BlockMigration where they are copied.', [
      'LiveMigration',
      'BlockMigration',
    ]),
    evacuationNodeName: string('Node that the instance has to leave, set by an eviction or a drain.'),
    qosClass: choice('Quality of service of the pod.', ['BestEffort', 'Burstable', 'Guaranteed']),
    launcherContainerImageVersion: string('Image of the launcher that runs the instance.'),
    currentCPUTopology: object('Virtual CPUs at present.', {
      sockets: topologyCount('sockets'),
      cores: topologyCount('cores in each socket'),
      threads: topologyCount('threads in each core'),
    }),
    memory: object('Memory of the guest.', {
      guestAtBoot: quantity('What it started with.'),
      guestCurrent: quantity('What it has at present.'),
      guestRequested: quantity('What its spec asks for.'),
      memoryOverhead: quantity('What its launcher needs beside it.'),
    }),
    fsFreezeStatus: string('frozen while the file systems of the guest are frozen.'),
  },
  // A new instance shows its first phase before anything has written it.
  { default: { phase: 'Pending' } },
);
