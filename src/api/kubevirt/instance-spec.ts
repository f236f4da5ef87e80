import { affinity, nodeSelector, tolerations, topologySpreadConstraints } from '#platform/schema/placement';
import { choice, integer, required, string } from '#platform/schema/schema';
import { accessCredentials } from './access-credential.ts';
import { domain } from './domain.ts';
import { networks } from './network.ts';
import { probe } from './probe.ts';
import { kubevirtObject } from './upstream.ts';
import { volumes } from './volume.ts';

/** Spec of one run of a VM, shared by VirtualMachineInstance and the template of VirtualMachine. */
export const instanceSpec = kubevirtObject('VirtualMachineInstanceSpec', 'The machine and where it runs.', {
  domain: required(domain),
  volumes,
  networks,
  nodeSelector,
  affinity,
  tolerations,
  topologySpreadConstraints,
  priorityClassName: string('PriorityClass of the machine; the default class of the cluster when left out.', {
    maxLength: 253,
  }),
  schedulerName: string('Scheduler that places the machine; the default scheduler when left out.', {
    maxLength: 253,
  }),
  evictionStrategy: choice(
    'What an eviction or a node drain does: None stops the machine, LiveMigrate moves it or holds the drain up, LiveMigrateIfPossible moves it where it can be moved, External leaves it to another controller. The setting of the cluster when left out.',
    ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External'],
  ),
  terminationGracePeriodSeconds: integer(
    'Seconds between asking the guest to shut down and ending it; 30 when left out.',
    { format: 'int64', minimum: 0 },
  ),
  startStrategy: choice('Paused: the machine is paused as soon as it has started.', ['Paused']),
  hostname: string('Host name of the guest, a DNS label; the name of the machine when left out.'),
  subdomain: string('Subdomain: the guest is <hostname>.<subdomain>.<namespace>.svc.<cluster domain>.'),
  livenessProbe: probe('Ends the instance when it fails; its run strategy says what comes next.'),
  readinessProbe: probe('Decides the condition Ready; the running machine is ready when left out.'),
  accessCredentials,
});
