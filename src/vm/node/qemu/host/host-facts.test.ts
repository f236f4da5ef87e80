import { expect, it } from 'vitest';
import { hostFacts, machineConditions } from './host-facts.ts';

const working = {
  kvm: { works: true, message: 'a guest booted' },
  isolation: { user: 'uid', network: 'internet', blocked: [] },
  limitsMissing: undefined,
} as const;
const limited = {
  kvm: { works: false, message: 'the host has no /dev/kvm' },
  isolation: { user: 'none', network: 'private', blocked: [], limitation: 'no namespaces' },
  limitsMissing: 'no cgroups',
} as const;

it('reports what a host can do', () => {
  const { labels, conditions } = hostFacts(working);
  expect(labels).toEqual({ 'vimana.io/accelerator': 'kvm' });
  expect(conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
    ['HardwareAccelerated', 'True', 'KVM'],
    ['MachinesIsolated', 'True', 'OwnUser'],
    ['MachinesLimited', 'True', 'Cgroups'],
    ['GuestNetworkReady', 'True', 'Internet'],
  ]);
  expect(machineConditions(working).map(({ type }) => type)).toEqual(['HardwareAccelerated']);
});

it('reports what it cannot do, and why', () => {
  const { labels, conditions } = hostFacts(limited);
  expect(labels).toEqual({ 'vimana.io/accelerator': 'tcg' });
  expect(conditions).toMatchObject([
    { status: 'False', reason: 'Emulated', message: expect.stringContaining('the host has no /dev/kvm') },
    { status: 'False', reason: 'NoNamespaces', message: 'no namespaces' },
    { status: 'False', reason: 'NoCgroups', message: 'no cgroups' },
    { status: 'True', reason: 'PrivateNetwork', message: 'no namespaces' },
  ]);
  expect(machineConditions(limited)).toMatchObject([
    { type: 'HardwareAccelerated', status: 'False' },
    { type: 'NetworkReady', status: 'True', reason: 'PrivateNetwork' },
  ]);
});
