import { describe, expect, it } from 'vitest';
import { alignClusterIps, defaultFamilies, keepAllocated } from './service-addresses.ts';
import { needsClusterIp, needsHealthCheckPort, needsNodePorts, type ServiceSpec } from './service-spec.ts';

describe('a service', () => {
  it.each<[ServiceSpec, string[] | undefined]>([
    [{ type: 'ClusterIP' }, ['IPv4']],
    [{ type: 'ClusterIP', clusterIPs: ['None'] }, ['IPv4']],
    [{ type: 'ClusterIP', clusterIPs: ['fd00::1'] }, ['IPv6']],
    [{ type: 'ClusterIP', ipFamilies: ['IPv6'] }, ['IPv6']],
    [{ type: 'ExternalName' }, undefined],
  ])('%j has the IP families %j', (spec, families) => {
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
  ])('%j that was %j has the cluster IPs %j', (spec, old, addresses) => {
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
  ])('%j needs a cluster IP, node ports and a health check port: %j', (spec, needs) => {
    expect([needsClusterIp(spec), needsNodePorts(spec), needsHealthCheckPort(spec)]).toEqual(needs);
  });
});

describe('an update of a service', () => {
  const old: ServiceSpec = {
    type: 'ClusterIP',
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1', 'fd00::1'],
    ipFamilies: ['IPv4', 'IPv6'],
    ipFamilyPolicy: 'PreferDualStack',
  };
  const kept = (spec: ServiceSpec, before = old) => {
    keepAllocated(spec, before);
    return spec;
  };
  const families = { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' };

  it.each<[string, ServiceSpec, ServiceSpec]>([
    ['keeps omitted fields', { type: 'ClusterIP' }, old],
    ['keeps all addresses if the first is unchanged', { type: 'ClusterIP', clusterIP: '10.0.0.1' }, old],
    [
      'keeps no addresses if the first is changed',
      { type: 'ClusterIP', clusterIP: '10.0.0.2' },
      { type: 'ClusterIP', clusterIP: '10.0.0.2', ...families },
    ],
    [
      'keeps the values that it sets',
      {
        type: 'ClusterIP',
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1'],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      },
      {
        type: 'ClusterIP',
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1'],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      },
    ],
    ['keeps nothing if the type becomes ExternalName', { type: 'ExternalName' }, { type: 'ExternalName' }],
  ])('%s', (_what, spec, expected) => {
    expect(kept(spec)).toEqual(expected);
  });

  it('keeps the addresses of a headless service', () => {
    const headless: ServiceSpec = { type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'] };
    expect(kept({ type: 'ClusterIP', clusterIP: 'None' }, headless)).toEqual(headless);
  });
});
