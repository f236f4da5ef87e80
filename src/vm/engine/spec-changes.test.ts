import { describe, expect, it } from 'vitest';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { specChanges, startSpec } from './spec-changes.ts';

type Domain = Partial<InstanceSpec['domain']>;
const spec = (more: Partial<InstanceSpec> = {}, domain: Domain = {}): InstanceSpec => ({
  domain: {
    cpu: { sockets: 2, cores: 2 },
    memory: { guest: '2Gi' },
    devices: { disks: [{ name: 'root', disk: {} }] },
    ...domain,
  },
  nodeSelector: { zone: 'a', disk: 'ssd' },
  ...more,
});
const made = startSpec(spec(), 'LiveUpdate');

describe('an instance', () => {
  it('may grow to four times its size where nothing else is said', () => {
    expect(made.domain).toMatchObject({
      cpu: { sockets: 2, maxSockets: 8 },
      memory: { guest: '2Gi', maxGuest: '8192Mi' },
    });
    expect(
      startSpec(spec({}, { cpu: { maxSockets: 3 }, memory: { guest: '2Gi', maxGuest: '3Gi' } }), 'LiveUpdate').domain,
    ).toMatchObject({
      cpu: { maxSockets: 3 },
      memory: { maxGuest: '3Gi' },
    });
  });
  it.each([
    ['1Gi', '4096Mi'],
    ['1024Mi', '4096Mi'],
    ['1.5Gi', '6144Mi'],
    ['2G', '7628Mi'],
    [2 ** 31, '8192Mi'],
    ['1023Mi', undefined],
    ['1G', undefined],
    ['8Mi', undefined],
  ])('with %s may grow to %s', (guest, expected) => {
    expect(startSpec(spec({}, { memory: { guest } }), 'LiveUpdate').domain.memory?.maxGuest).toBe(expected);
  });
  it('does not plug memory in where it has little', () => {
    expect(startSpec(spec({}, { memory: { guest: '512Mi' } }), 'LiveUpdate').domain.memory).toEqual({ guest: '512Mi' });
  });
  it('is made as it is wanted where nothing reaches it anyway', () => {
    expect(startSpec(spec(), 'Stage')).toEqual(spec());
  });
});

describe('nothing has changed', () => {
  it.each<[string, InstanceSpec]>([
    ['where the template is as it was', spec()],
    ['where an amount is written another way', spec({}, { memory: { guest: '2048Mi' } })],
    [
      'where what is left out is written',
      spec({ terminationGracePeriodSeconds: 30 }, { cpu: { sockets: 2, cores: 2, threads: 1 } }),
    ],
    ['where a list is empty', spec({ volumes: [], tolerations: [] })],
    ['where only the next start would be another', spec({ startStrategy: 'Paused' })],
  ])('%s', (_what, desired) => {
    expect(specChanges(made, desired, 'LiveUpdate')).toEqual({ live: undefined, restart: [] });
  });
});

describe('a machine that runs', () => {
  it.each<[string, InstanceSpec, object]>([
    [
      'more sockets',
      spec({}, { cpu: { sockets: 3, cores: 2 } }),
      { domain: { cpu: { sockets: 3, cores: 2, maxSockets: 8 } } },
    ],
    [
      'more memory',
      spec({}, { memory: { guest: '4Gi' } }),
      { domain: { memory: { guest: '4Gi', maxGuest: '8192Mi' } } },
    ],
    ['another node selector, whole', spec({ nodeSelector: { zone: 'b' } }), { nodeSelector: { zone: 'b' } }],
    ['no node selector', { domain: spec().domain }, { nodeSelector: undefined }],
    ['tolerations', spec({ tolerations: [{ key: 'a' }] }), { tolerations: [{ key: 'a' }] }],
    ['affinity', spec({ affinity: { podAntiAffinity: {} } }), { affinity: { podAntiAffinity: {} } }],
  ])('gets %s', (_what, desired, expected) => {
    const { live, restart } = specChanges(made, desired, 'LiveUpdate');
    expect(restart).toEqual([]);
    expect(live).toMatchObject(expected);
    // Nothing is left to change after it.
    expect(specChanges(live ?? made, desired, 'LiveUpdate')).toEqual({ live: undefined, restart: [] });
  });

  it.each<[string, InstanceSpec, string[]]>([
    ['fewer sockets', spec({}, { cpu: { sockets: 1, cores: 2 } }), ['domain.cpu.sockets']],
    ['more sockets than it may have', spec({}, { cpu: { sockets: 9, cores: 2 } }), ['domain.cpu.sockets']],
    ['less memory', spec({}, { memory: { guest: '1Gi' } }), ['domain.memory.guest']],
    ['more memory than it may have', spec({}, { memory: { guest: '9Gi' } }), ['domain.memory.guest']],
    ['other cores', spec({}, { cpu: { sockets: 2, cores: 4 } }), ['domain.cpu.cores']],
    ['other bounds', spec({}, { cpu: { sockets: 2, cores: 2, maxSockets: 4 } }), ['domain.cpu.maxSockets']],
    ['another disk', spec({}, { devices: { disks: [{ name: 'other', disk: {} }] } }), ['domain.devices.disks']],
    [
      'a device that says nothing more',
      spec({}, { devices: { ...spec().domain.devices, rng: {} } }),
      ['domain.devices.rng'],
    ],
    ['a host name and a volume', spec({ hostname: 'h', volumes: [{ name: 'v' }] }), ['volumes', 'hostname']],
  ])('gets %s with its next start', (_what, desired, expected) => {
    const { live, restart } = specChanges(made, desired, 'LiveUpdate');
    expect(live).toBeUndefined();
    expect(restart.toSorted()).toEqual(expected.toSorted());
  });

  it.each<[string, Parameters<typeof specChanges>[3], Domain, boolean]>([
    ['more sockets where it cannot move', { migratable: false }, { cpu: { sockets: 3, cores: 2 } }, false],
    ['more memory where it cannot move', { migratable: false }, { memory: { guest: '4Gi' } }, false],
    ['no sockets that have not come yet', { migratable: true, sockets: 1 }, { cpu: { sockets: 1, cores: 2 } }, true],
    ['fewer sockets than it has', { migratable: true, sockets: 2 }, { cpu: { sockets: 1, cores: 2 } }, false],
    [
      'memory taken out that was plugged in',
      { migratable: true, minMemory: '1Gi' },
      { memory: { guest: '1Gi' } },
      true,
    ],
    ['less memory than it started with', { migratable: true, minMemory: '2Gi' }, { memory: { guest: '1Gi' } }, false],
  ])('gets %s', (_what, running, domain, live) => {
    const changes = specChanges(made, spec({}, domain), 'LiveUpdate', running);
    expect(changes.live !== undefined).toBe(live);
    expect(changes.restart.length === 0).toBe(live);
  });

  it('gets what it can and is told of the rest', () => {
    const desired = spec({ hostname: 'h', nodeSelector: { zone: 'b' } }, { cpu: { sockets: 4, cores: 8 } });
    const { live, restart } = specChanges(made, desired, 'LiveUpdate');
    expect(restart.toSorted()).toEqual(['domain.cpu.cores', 'hostname']);
    expect(live).toMatchObject({ nodeSelector: { zone: 'b' }, domain: { cpu: { sockets: 4, cores: 2 } } });
    expect(live?.hostname).toBeUndefined();
  });

  it('gets nothing where changes are staged', () => {
    const desired = spec({ nodeSelector: { zone: 'b' } }, { cpu: { sockets: 4, cores: 2 } });
    expect(specChanges(spec(), desired, 'Stage')).toEqual({
      live: undefined,
      restart: ['domain.cpu.sockets', 'nodeSelector'],
    });
  });
});
