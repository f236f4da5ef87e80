import { describe, expect, it } from 'vitest';
import { alignClusterIps, defaultFamilies } from './service-addresses.ts';
import { needsClusterIp, needsHealthCheckPort, needsNodePorts, type ServiceSpec } from './service-spec.ts';

describe('a service', () => {
  it.each<[ServiceSpec, string[] | undefined]>([
    [{ type: 'ClusterIP' }, ['IPv4']],
    [{ type: 'ClusterIP', clusterIPs: ['None'] }, ['IPv4']],
    [{ type: 'ClusterIP', clusterIPs: ['fd00::1'] }, ['IPv6']],
    [{ type: 'ClusterIP', ipFamilies: ['IPv6'] }, ['IPv6']],
    [{ type: 'ExternalName' }, undefined],
  ])('%j has the families %j', (spec, families) => {
    defaultFamilies(spec);
    expect(spec.ipFamilies).toEqual(families);
    expect(spec.ipFamilyPolicy).toBe(families === undefined ? undefined : 'SingleStack');
  });

  it.each<[ServiceSpec, ServiceSpec | undefined, string[] | undefined]>([
    [{ clusterIP: '10.0.0.1' }, undefined, ['10.0.0.1']],
    [{}, undefined, undefined],
    [{ clusterIP: 'None' }, { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] }, ['None']],
    [
      { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.1'] },
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] },
      ['10.0.0.2'],
    ],
    [{ clusterIPs: ['10.0.0.1'] }, { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] }, undefined],
  ])('%j that was %j has the addresses %j', (spec, old, addresses) => {
    alignClusterIps(spec, old);
    expect(spec.clusterIPs).toEqual(addresses);
  });

  it.each<[ServiceSpec, [boolean, boolean, boolean]]>([
    [{ type: 'ClusterIP' }, [true, false, false]],
    [{ type: 'ClusterIP', clusterIP: 'None' }, [false, false, false]],
    [{ type: 'NodePort' }, [true, true, false]],
    [{ type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, [true, true, true]],
    [{ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false }, [true, false, false]],
    [{ type: 'ExternalName' }, [false, false, false]],
  ])('%j needs an address, ports of nodes, a port for health: %j', (spec, needs) => {
    expect([needsClusterIp(spec), needsNodePorts(spec), needsHealthCheckPort(spec)]).toEqual(needs);
  });
});
