import { affinity, nodeSelector, tolerations, topologySpreadConstraints } from '#platform/schema/placement';
import { choice, integer, requiredField, string } from '#platform/schema/schema';
import { accessCredentials } from './access-credential.ts';
import { domain } from './domain.ts';
import { networks } from './network.ts';
import { probe } from './probe.ts';
import { kubevirtObject } from './upstream.ts';
import { volumes } from './volume.ts';

/** Spec of one run of a VM, shared by VirtualMachineInstance and the template of VirtualMachine. */
export const instanceSpec = kubevirtObject('VirtualMachineInstanceSpec', 'Desired state of the VM and its placement.', {
  domain: requiredField(domain),
  volumes,
  networks,
  nodeSelector,
  affinity,
  tolerations,
  topologySpreadConstraints,
  priorityClassName: string('PriorityClass of the VM. Defaults to the default class of the cluster.', {
    maxLength: 253,
  }),
  schedulerName: string('Scheduler that places the VM. Defaults to the default scheduler.', {
    maxLength: 253,
  }),
  evictionStrategy: choice(
    'What an eviction or a node drain does: None stops the VM, LiveMigrate migrates it or blocks the drain, LiveMigrateIfPossible migrates it if it can migrate, External leaves it to another controller. Defaults to the setting of the cluster.',
    ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External'],
  ),
  terminationGracePeriodSeconds: integer(
    'Seconds between the shutdown request to the guest and killing it. Defaults to 30.',
    { format: 'int64', minimum: 0 },
  ),
  startStrategy: choice('Paused: the VM starts paused.', ['Paused']),
  hostname: string('Host name of the guest, a DNS label. Defaults to the name of the VM.'),
  subdomain: string('Subdomain: the guest is <hostname>.<subdomain>.<namespace>.svc.<cluster domain>.'),
  livenessProbe: probe('Terminates the instance when it fails; the run strategy decides what follows.'),
  readinessProbe: probe('Determines the condition Ready. Without it, a running VM is ready.'),
  accessCredentials,
});
