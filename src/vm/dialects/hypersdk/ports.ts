import type { Network, Port } from '#api/hypersdk/network';
import type { Partially } from '#api/hypersdk/partial';
import type { HypersdkVm } from '#api/hypersdk/resources';
import type { Context } from '#platform/runtime/controller';
import type { ServicePort } from '#vm/controllers/vm-resources/group';
import { templatedSpec } from './templated-spec.ts';

type Networks = readonly Partially<Network>[];

/** Returns the name of a port, by default its protocol and number. */
export const portName = ({ name, port, protocol = 'TCP' }: Partial<Port>) =>
  name ?? `${protocol.toLowerCase()}-${port ?? 0}`;

/** Returns the ports of a VM's Service, or undefined while its template is not available. */
export function portsOf(vm: HypersdkVm, context: Pick<Context, 'cache'>): readonly ServicePort[] | undefined {
  const spec = templatedSpec(vm, context);
  return spec === undefined ? undefined : servicePorts(spec);
}

/** Returns the ports of the interface on the pod network, the only one that a Service reaches. */
export function servicePorts({ networks = [] }: { readonly networks?: Networks }): readonly ServicePort[] {
  // The values of a template have no defaults.
  const onPods = networks.find(({ type = 'pod-network' }) => type === 'pod-network');
  return (onPods?.ports ?? []).flatMap((port) =>
    port.port === undefined ? [] : [{ name: portName(port), port: port.port, protocol: port.protocol ?? 'TCP' }],
  );
}
