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
  it('may grow to four times its size by default', () => {
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
  it('does not hot-plug memory into a small guest', () => {
    expect(startSpec(spec({}, { memory: { guest: '512Mi' } }), 'LiveUpdate').domain.memory).toEqual({ guest: '512Mi' });
  });
  it('is created as requested if nothing can be changed live', () => {
    expect(startSpec(spec(), 'Stage')).toEqual(spec());
  });
});

describe('the spec is unchanged', () => {
  it.each<[string, InstanceSpec]>([
    ['if the template is unchanged', spec()],
    ['if an amount has another notation', spec({}, { memory: { guest: '2048Mi' } })],
    [
      'if defaults are set explicitly',
      spec({ terminationGracePeriodSeconds: 30 }, { cpu: { sockets: 2, cores: 2, threads: 1 } }),
    ],
    ['if a list is empty', spec({ volumes: [], tolerations: [] })],
    ['if only the start strategy changes', spec({ startStrategy: 'Paused' })],
  ])('%s', (_what, desired) => {
    expect(specChanges(made, desired, 'LiveUpdate')).toEqual({ live: undefined, restart: [] });
  });
});

describe('a running VM', () => {
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
    ['another node selector as a whole', spec({ nodeSelector: { zone: 'b' } }), { nodeSelector: { zone: 'b' } }],
    ['no node selector', { domain: spec().domain }, { nodeSelector: undefined }],
    ['tolerations', spec({ tolerations: [{ key: 'a' }] }), { tolerations: [{ key: 'a' }] }],
    ['affinity', spec({ affinity: { podAntiAffinity: {} } }), { affinity: { podAntiAffinity: {} } }],
  ])('gets %s live', (_what, desired, expected) => {
    const { live, restart } = specChanges(made, desired, 'LiveUpdate');
    expect(restart).toEqual([]);
    expect(live).toMatchObject(expected);
    // Nothing is left to change after it.
    expect(specChanges(live ?? made, desired, 'LiveUpdate')).toEqual({ live: undefined, restart: [] });
  });

  it.each<[string, InstanceSpec, string[]]>([
    ['fewer sockets', spec({}, { cpu: { sockets: 1, cores: 2 } }), ['domain.cpu.sockets']],
    ['more sockets than its maximum', spec({}, { cpu: { sockets: 9, cores: 2 } }), ['domain.cpu.sockets']],
    ['less memory', spec({}, { memory: { guest: '1Gi' } }), ['domain.memory.guest']],
    ['more memory than its maximum', spec({}, { memory: { guest: '9Gi' } }), ['domain.memory.guest']],
    ['other cores', spec({}, { cpu: { sockets: 2, cores: 4 } }), ['domain.cpu.cores']],
    ['another maximum', spec({}, { cpu: { sockets: 2, cores: 2, maxSockets: 4 } }), ['domain.cpu.maxSockets']],
    ['another disk', spec({}, { devices: { disks: [{ name: 'other', disk: {} }] } }), ['domain.devices.disks']],
    ['a device without settings', spec({}, { devices: { ...spec().domain.devices, rng: {} } }), ['domain.devices.rng']],
    ['a host name and a volume', spec({ hostname: 'h', volumes: [{ name: 'v' }] }), ['volumes', 'hostname']],
  ])('gets %s with its next start', (_what, desired, expected) => {
    const { live, restart } = specChanges(made, desired, 'LiveUpdate');
    expect(live).toBeUndefined();
    expect(restart.toSorted()).toEqual(expected.toSorted());
  });

  it.each<[string, Parameters<typeof specChanges>[3], Domain, boolean]>([
    ['more sockets if it cannot migrate', { migratable: false }, { cpu: { sockets: 3, cores: 2 } }, false],
    ['more memory if it cannot migrate', { migratable: false }, { memory: { guest: '4Gi' } }, false],
    [
      'the removal of sockets that are not plugged yet',
      { migratable: true, sockets: 1 },
      { cpu: { sockets: 1, cores: 2 } },
      true,
    ],
    ['fewer sockets than it has', { migratable: true, sockets: 2 }, { cpu: { sockets: 1, cores: 2 } }, false],
    ['the removal of plugged memory', { migratable: true, minMemory: '1Gi' }, { memory: { guest: '1Gi' } }, true],
    ['less memory than it started with', { migratable: true, minMemory: '2Gi' }, { memory: { guest: '1Gi' } }, false],
  ])('gets live or not: %s', (_what, running, domain, live) => {
    const changes = specChanges(made, spec({}, domain), 'LiveUpdate', running);
    expect(changes.live !== undefined).toBe(live);
    expect(changes.restart.length === 0).toBe(live);
  });

  it('gets the changes that can be applied, and reports the others', () => {
    const desired = spec({ hostname: 'h', nodeSelector: { zone: 'b' } }, { cpu: { sockets: 4, cores: 8 } });
    const { live, restart } = specChanges(made, desired, 'LiveUpdate');
    expect(restart.toSorted()).toEqual(['domain.cpu.cores', 'hostname']);
    expect(live).toMatchObject({ nodeSelector: { zone: 'b' }, domain: { cpu: { sockets: 4, cores: 2 } } });
    expect(live?.hostname).toBeUndefined();
  });

  it('gets nothing live if changes are staged', () => {
    const desired = spec({ nodeSelector: { zone: 'b' } }, { cpu: { sockets: 4, cores: 2 } });
    expect(specChanges(spec(), desired, 'Stage')).toEqual({
      live: undefined,
      restart: ['domain.cpu.sockets', 'nodeSelector'],
    });
  });
});
