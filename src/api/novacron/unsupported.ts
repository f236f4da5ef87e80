import type { InputMeta } from '#platform/schema/kind';
import type { Partially } from '../hypersdk/partial.ts';
import { claimIn, ROOT_DISK } from './claims.ts';
import type { VirtualMachine } from './virtual-machine.ts';

type Spec = Partially<VirtualMachine['spec']>;
type Machine = NonNullable<NonNullable<Spec['template']>['spec']>;
type Card = NonNullable<Machine['networks']>[number];

/** Field that requests an unsupported feature. Without the feature, the VM would differ from what was requested. */
export interface Unsupported {
  readonly field: string;
  readonly value: unknown;
  /** Remedy for the user. */
  readonly instead: string;
}

/** VM, or the part of a pool that its VMs are made from. */
export interface UnsupportedInput {
  readonly metadata: Pick<InputMeta, 'namespace'>;
  readonly spec: Spec;
}

export function unsupportedFields({ metadata, spec }: UnsupportedInput): Unsupported[] {
  const { template, migrationPolicy, snapshotPolicy } = spec;
  const at = 'spec.template.spec';
  const { devices = [], lifecycle, networks = [], volumes = [], image } = template?.spec ?? {};
  const found: Unsupported[] = [];
  const add = (field: string, value: unknown, instead: string) => void found.push({ field, value, instead });
  if (devices.length > 0) add(`${at}.devices`, devices, 'remove host devices');
  for (const hook of ['preStart', 'preStop'] as const) {
    if (lifecycle?.[hook] !== undefined) add(`${at}.lifecycle.${hook}`, lifecycle[hook], 'remove hooks');
  }
  if (snapshotPolicy !== undefined) {
    add('spec.snapshotPolicy', snapshotPolicy, 'remove it, and take snapshots with VMSnapshot or VMOperation');
  }
  if (migrationPolicy?.encrypted === true) {
    add('spec.migrationPolicy.encrypted', true, 'transfers are not encrypted; set it to false');
  }
  for (const [i, card] of networks.entries()) found.push(...unsupportedInterfaceFields(`${at}.networks[${i}]`, card));
  for (const [i, { name }] of volumes.entries()) {
    if (name === ROOT_DISK) {
      add(`${at}.volumes[${i}].name`, name, `${ROOT_DISK} is the disk with the image; choose another name`);
    }
  }
  const { namespace = '' } = metadata;
  const { source = '' } = image ?? {};
  const { namespace: other = namespace } = claimIn(source) ?? {};
  if (namespace !== '' && other !== namespace) {
    add(`${at}.image.source`, source, `claims are copied within a namespace; name one in ${namespace}`);
  }
  return found;
}

function unsupportedInterfaceFields(field: string, { type, ...card }: Card): Unsupported[] {
  const found: Unsupported[] = [];
  if (type === 'sr-iov') found.push({ field: `${field}.type`, value: type, instead: 'choose another type' });
  for (const family of ['ipv4', 'ipv6'] as const) {
    const { method, dns = [] } = card[family] ?? {};
    const at = `${field}.${family}`;
    if (method === 'static') found.push({ field: `${at}.method`, value: method, instead: 'use dhcp' });
    if (dns.length > 0)
      found.push({ field: `${at}.dns`, value: dns, instead: 'remove name servers; those of the network are used' });
  }
  return found;
}
