import { conditions } from '#platform/schema/conditions';
import { boolean, choice, integer, list, number, object, string, timestamp } from '#platform/schema/schema';
import { smallDisks } from '../disk/small-disks.ts';
import { startFailure, stateChangeRequests } from '../kubevirt/virtual-machine-status.ts';
import { retainedInterfaces } from '../retained-interfaces.ts';
import { observedGeneration } from './observed-generation.ts';

export const virtualMachineStatus = object('What is known of the machine.', {
  observedGeneration,
  phase: choice('Where the machine is in its life.', [
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
    'Ready, AgentConnected, DiskReady, NetworkReady, LiveMigratable (where it is to move off a drained node and cannot), CarbonAware, RestartRequired, Failure, LastShutdown (how the last run ended)',
  ),
  guestAgent: object('What the agent inside the machine says.', {
    connected: boolean('Whether the agent answers.'),
    version: string('Version of the agent.'),
    hostname: string('Host name that the guest gave itself.'),
  }),
  ipAddresses: list('IP addresses of the machine, the one on the pod network first.', string('An IP address.')),
  nodeName: string('Node that the machine runs on.'),
  resources: object(
    'Measured use against what was asked for. Use is measured when the machine begins to run and every five minutes, written where it has changed by more than a tenth of what was asked for, and of at most ten machines in a second; absent where nobody measures. On a cluster of others it is what metrics.k8s.io says of the pod, where that is served.',
    {
      cpu: object('CPU of the machine.', {
        usage: string('CPU in use, as a share of the CPUs asked for: 45%.'),
        requests: integer('Virtual CPUs asked for.', { format: 'int32' }),
      }),
      memory: object('Memory of the machine.', {
        usage: string('Memory in use: 6200Mi.'),
        requests: string('Memory asked for.'),
      }),
    },
  ),
  qemuPid: integer('Process id of QEMU on the node.', { format: 'int64' }),
  vnc: object('The graphical console.', {
    port: integer('TCP port of the VNC server on the node.', { format: 'int32' }),
    enabled: boolean('Whether a VNC server listens.'),
  }),
  creationTimestamp: timestamp('When the machine was first set up.'),
  startTime: timestamp('When the machine last started to run.'),
  carbonIntensity: number('Carbon intensity in gCO2/kWh where the machine runs or waits to run.'),
  carbon: object('What the machine has done for clean electricity since it was last asked to run.', {
    zone: string('Grid zone whose intensity counts: the one that is waited for, then that of the node.'),
    waitingSince: timestamp('When the start began to wait.'),
    intensityWhenAsked: number('Carbon intensity in gCO2/kWh of that zone when the start began to wait.'),
    startAt: timestamp('When a start that waits is to come, as the forecast stands.'),
    startedAt: timestamp('When the start was let go.'),
    intensityAtStart: number('Carbon intensity in gCO2/kWh of that zone when the start was let go.'),
  }),
  smallDisks,
  verifiedImage: string(
    'Digest that the image was found to have before the first start, with its algorithm; absent where nobody compared.',
  ),
  restartCount: integer('Restarts after a failure since the machine was last started on request.', {
    format: 'int32',
    minimum: 0,
  }),
  restarts: object('What was decided when the machine last ended by itself.', {
    inRow: integer('Restarts in a row.', { format: 'int32', minimum: 0 }),
    lastInstance: string('UID of the instance that ended.'),
    retryAfter: timestamp('When the machine is started again.'),
    gaveUp: choice('Why it stays down: nobody asked for a restart, or those that were made did not help.', [
      'NotRestarted',
      'RestartsExhausted',
    ]),
    message: string('The decision, as a sentence.'),
  }),
  interfaces: retainedInterfaces,
  stateChangeRequests,
  startFailure,
});
