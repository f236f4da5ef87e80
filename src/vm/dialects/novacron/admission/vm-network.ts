import { type VMNetwork, vmNetwork } from '#api/novacron/vm-network';
import { tryParseCidr } from '#platform/base/cidr';
import { type FieldError, forbidden, index, invalid } from '#platform/base/field-error';
import type { Admitter } from '#vm/admission/admitter';
import { changesSpec } from '#vm/admission/changes-spec';
import { repeats } from '#vm/admission/repeats';
import { subnetWarnings, validateSubnets } from './subnets.ts';

type Spec = VMNetwork['spec'];
type Policy = NonNullable<Spec['policies']>[number];

const TUNNELS = ['vxlan', 'geneve', 'gre'] as const;

/** Supported drivers by network type. */
const DRIVERS: Readonly<Record<Spec['type'], readonly string[]>> = {
  overlay: TUNNELS,
  bridge: ['linux-bridge', 'vlan'],
  ovs: ['openvswitch', ...TUNNELS, 'vlan'],
  'sr-iov': ['sriov', 'vlan'],
  macvlan: ['macvlan', 'vlan'],
};

export const vmNetworkAdmitter: Admitter<typeof vmNetwork> = {
  kind: vmNetwork,
  validate(request) {
    const { operation, object } = request;
    if (operation === 'DELETE') return { causes: validateUnused(object), warnings: [] };
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { spec } = object;
    return {
      causes: [
        ...validateDriver('spec.config.driver', spec),
        ...validateSubnets('spec.subnets', spec.subnets),
        ...(spec.policies ?? []).flatMap((policy, i) => validatePolicy(index('spec.policies', i), policy)),
      ],
      warnings: [
        ...vniWarnings('spec.config', spec),
        ...subnetWarnings('spec.subnets', spec.subnets),
        ...policyWarnings('spec.policies', spec.policies),
      ],
    };
  },
};

/** Rejects the deletion of a network that would disconnect VMs. */
function validateUnused({ status }: VMNetwork): FieldError[] {
  const connected = status?.connectedVMs ?? 0;
  const machines = connected === 1 ? '1 VM is' : `${connected} VMs are`;
  return connected > 0 ? [forbidden('metadata.name', `${machines} connected to the network`)] : [];
}

function validateDriver(field: string, { type, config }: Spec): FieldError[] {
  const driver = config?.driver;
  const known = DRIVERS[type];
  if (driver === undefined || known.includes(driver)) return [];
  return [invalid(field, driver, `a network of type ${type} requires one of ${known.join(', ')}`)];
}

function validatePolicy(field: string, { source, destination }: Policy): FieldError[] {
  return Object.entries({ source, destination }).flatMap(([name, range]) =>
    range === undefined || tryParseCidr(range) !== undefined
      ? []
      : [invalid(`${field}.${name}`, range, 'must be a range of addresses such as 10.0.0.0/8 or 0.0.0.0/0')],
  );
}

function vniWarnings(field: string, { config }: Spec): string[] {
  const isTunnel = config?.driver === undefined || (TUNNELS as readonly string[]).includes(config.driver);
  return config?.vni !== undefined && !isTunnel ? [`${field}.vni has no effect with driver ${config.driver}`] : [];
}

function policyWarnings(field: string, policies: readonly Policy[] = []): string[] {
  return repeats(policies, ({ direction, priority }) => `${direction} ${priority}`).map((i) => {
    const { direction, priority } = policies[i] ?? {};
    return `${index(field, i)}.priority: another ${direction} rule has priority ${priority} too; they apply in the order of their names`;
  });
}
