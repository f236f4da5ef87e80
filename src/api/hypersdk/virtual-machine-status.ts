import { conditions } from '#platform/schema/conditions';
import { boolean, choice, dateTime, integer, list, number, object, string } from '#platform/schema/schema';
import { smallDisks } from '../disk/small-disks.ts';
import { startFailure, stateChangeRequests } from '../kubevirt/virtual-machine-status.ts';
import { retainedInterfaces } from '../retained-interfaces.ts';
import { observedGeneration } from './observed-generation.ts';

export const virtualMachineStatus = object('Observed state of the VM.', {
  observedGeneration,
  phase: choice('Lifecycle phase of the VM.', [
    'Pending',
    'Creating',
    'Running',
    'Stopped',
    'Migrating',
    'Paused',
    'Failed',
    'Unknown',
  ]),
  conditions: conditions(
    'Ready, AgentConnected, DiskReady, NetworkReady, LiveMigratable (if it must leave a drained node and cannot migrate), CarbonAware, RestartRequired, Failure, LastShutdown (how the last run ended)',
  ),
  guestAgent: object('State of the guest agent.', {
    connected: boolean('Whether the guest agent is connected.'),
    version: string('Version of the guest agent.'),
    hostname: string('Host name that the guest reports.'),
  }),
  ipAddresses: list('IP addresses of the VM, the one on the pod network first.', string('An IP address.')),
  nodeName: string('Node that the VM runs on.'),
  resources: object(
    'Usage compared with the requested size. It is measured when the VM starts and every five minutes, and written for at most ten VMs per second if it has changed by more than a tenth of the requested size. Absent without measurements. On other clusters, it comes from metrics.k8s.io, if that is served.',
    {
      cpu: object('CPU of the VM.', {
        usage: string('CPU usage as a percentage of the requested CPUs: 45%.'),
        requests: integer('Requested virtual CPUs.', { format: 'int32' }),
      }),
      memory: object('Memory of the VM.', {
        usage: string('Memory in use: 6200Mi.'),
        requests: string('Requested memory.'),
      }),
    },
  ),
  qemuPid: integer('Process ID of QEMU on the node.', { format: 'int64' }),
  vnc: object('The graphical console.', {
    port: integer('TCP port of the VNC server on the node.', { format: 'int32' }),
    enabled: boolean('Whether a VNC server listens.'),
  }),
  creationTimestamp: dateTime('When the VM was first set up.'),
  startTime: dateTime('When the VM last started.'),
  carbonIntensity: number('Carbon intensity in gCO2/kWh where the VM runs or waits to run.'),
  carbon: object('Carbon-aware decisions since the VM was last requested to run.', {
    zone: string('Grid zone that applies: the one that the start waits for, then that of the node.'),
    waitingSince: dateTime('When the start began to wait.'),
    intensityWhenAsked: number('Carbon intensity in gCO2/kWh of that zone when the start began to wait.'),
    startAt: dateTime('Expected time of a waiting start, according to the forecast.'),
    startedAt: dateTime('When the start was released.'),
    intensityAtStart: number('Carbon intensity in gCO2/kWh of that zone when the start was released.'),
  }),
  smallDisks,
  verifiedImage: string(
    'Verified digest of the image before the first start, with its algorithm. Absent if it was not verified.',
  ),
  restartCount: integer('Restarts after a failure since the VM was last started on request.', {
    format: 'int32',
    minimum: 0,
  }),
  restarts: object('Restart decision when the VM last ended by itself.', {
    inRow: integer('Consecutive restarts.', { format: 'int32', minimum: 0 }),
    lastInstance: string('UID of the instance that ended.'),
    retryAfter: dateTime('When the VM is restarted.'),
    gaveUp: choice('Why the VM stays stopped: no restart is requested, or restarts did not help.', [
      'NotRestarted',
      'RestartsExhausted',
    ]),
    message: string('Human-readable decision.'),
  }),
  interfaces: retainedInterfaces,
  stateChangeRequests,
  startFailure,
});
