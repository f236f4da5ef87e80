import { conditions } from '#platform/schema/conditions';
import { choice, dateTime, integer, list, map, object, quantity, string } from '#platform/schema/schema';
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

const interfaceStatus = kubevirtStatus('VirtualMachineInstanceNetworkInterface', 'State of a network interface.', {
  name: string('Name of the interface in the spec; empty for one that the guest created.'),
  interfaceName: string('Name of the interface in the guest.'),
  mac: string('MAC address.'),
  ipAddress: string('First address.'),
  ipAddresses: list('All addresses.', string('An address.')),
  linkState: choice('Whether the link is up or down.', ['up', 'down']),
  infoSource: string('Source of the information: domain, guest-agent, multus-status or several.'),
});

const guestOSInfo = object('Operating system, as reported by the guest agent.', {
  id: string('Short name, such as fedora.'),
  name: string('Name.'),
  prettyName: string('Display name with version.'),
  version: string('Display version.'),
  versionId: string('Version.'),
  kernelRelease: string('Release of the kernel.'),
  kernelVersion: string('Version of the kernel.'),
  machine: string('Architecture.'),
});

const topologyCount = (what: string) => integer(`Number of ${what}.`, { format: 'int64', minimum: 0 });

export const virtualMachineInstanceStatus = kubevirtStatus(
  'VirtualMachineInstanceStatus',
  'Observed state of the instance.',
  {
    phase: choice('Lifecycle phase of the instance.', INSTANCE_PHASES),
    phaseTransitionTimestamps: list(
      'When each phase started.',
      object('The start of a phase.', {
        phase: choice('The phase.', INSTANCE_PHASES),
        phaseTransitionTimestamp: dateTime('When it started.', { nullable: true }),
      }),
    ),
    reason: string('Reason for the current state, as one word.'),
    nodeName: string('Node that the instance runs on.'),
    activePods: map('Pods of the instance by UID, each with its node; two during a migration.', string('A node.')),
    interfaces: list('Network interfaces and their addresses.', interfaceStatus),
    guestOSInfo,
    conditions: conditions(
      'Ready, LiveMigratable, AgentConnected, Paused, Provisioning, Synchronized, HotVCPUChange, HotMemoryChange',
    ),
    migrationState,
    migrationMethod: choice('LiveMigration if the disks are shared, BlockMigration if they must be copied.', [
      'LiveMigration',
      'BlockMigration',
    ]),
    evacuationNodeName: string('Node that the instance must leave, set by an eviction or a drain.'),
    qosClass: choice('Quality of service of the pod.', ['BestEffort', 'Burstable', 'Guaranteed']),
    launcherContainerImageVersion: string('Image of the launcher that runs the instance.'),
    currentCPUTopology: object('Current virtual CPUs.', {
      sockets: topologyCount('sockets'),
      cores: topologyCount('cores in each socket'),
      threads: topologyCount('threads in each core'),
    }),
    memory: object('Memory of the guest.', {
      guestAtBoot: quantity('Memory at boot.'),
      guestCurrent: quantity('Current memory.'),
      guestRequested: quantity('Requested memory.'),
      memoryOverhead: quantity('Memory overhead of the launcher.'),
    }),
    fsFreezeStatus: string('frozen while the file systems of the guest are frozen.'),
  },
  // A new instance shows its first phase before anything has written it.
  { default: { phase: 'Pending' } },
);
