import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IDENTITY_ANNOTATION } from '#api/instance-request';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { isMulticastMac, tryParseMac } from '#platform/base/mac';
import { AddressPool } from './address-pool.ts';
import type { Identity } from './dialect.ts';
import { addressesOf, assignIdentity, formatIdentity, holderOf, identityOf, macOf } from './identity.ts';
import { instanceLike } from './instance.fixture.ts';

const spec = (
  devices: InstanceSpec['domain']['devices'] = {},
  networks: InstanceSpec['networks'] = [],
): InstanceSpec => ({
  domain: { devices },
  networks,
});

describe('a hardware address', () => {
  it('follows from the VM and the interface, and is locally administered and unicast', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string(), (uid, iface) => {
        const mac = macOf(uid, iface);
        expect(tryParseMac(mac)).toBe(mac);
        expect(isMulticastMac(mac)).toBe(false);
        expect(Number.parseInt(mac.slice(0, 2), 16) & 2).toBe(2);
        expect(macOf(uid, iface)).toBe(mac);
        expect(macOf(uid, `${iface}x`)).not.toBe(mac);
      }),
    );
  });
  it('is almost always unique', () => {
    const all = new Set(Array.from({ length: 20_000 }, (_, i) => macOf(`uid-${i}`, 'default')));
    expect(all.size).toBe(20_000);
  });
});

describe('the identity of a VM', () => {
  it('has an interface on the pod network if the spec names none', () => {
    const { identity } = assignIdentity(spec(), 'vm', {}, new AddressPool());
    expect(Object.keys(identity)).toEqual(['default']);
    expect(new AddressPool().has(identity['default']?.ip ?? '')).toBe(true);
    expect(assignIdentity(spec({ autoattachPodInterface: false }), 'vm', {}, new AddressPool()).identity).toEqual({});
  });
  it('has an assigned address only on the pod network, and the requested MAC address', () => {
    const interfaces = [{ name: 'a' }, { name: 'b', macAddress: '02-00-00-AA-BB-CC' }];
    const networks = [
      { name: 'a', pod: {} },
      { name: 'b', multus: { networkName: 'vlan' } },
    ];
    const { identity } = assignIdentity(spec({ interfaces }, networks), 'vm', {}, new AddressPool());
    expect(identity).toEqual({
      a: { mac: macOf('vm', 'a'), ip: expect.any(String) as string },
      b: { mac: '02:00:00:aa:bb:cc' },
    });
  });
  it('stays the same, also in a new process', () => {
    const first = assignIdentity(spec(), 'vm', {}, new AddressPool()).identity;
    expect(assignIdentity(spec(), 'vm', first, new AddressPool()).identity).toEqual(first);
    const kept = { default: { mac: '02:00:00:00:00:01', ip: '192.0.2.7' } };
    expect(assignIdentity(spec(), 'vm', kept, new AddressPool()).identity).toEqual(kept);
  });
  it('releases an address that another VM has by now', () => {
    const pool = new AddressPool();
    const { identity } = assignIdentity(spec(), 'vm', {}, pool);
    const other = assignIdentity(spec(), 'other', identity, pool).identity;
    expect(other['default']?.mac).toBe(identity['default']?.mac);
    expect(other['default']?.ip).not.toBe(identity['default']?.ip);
  });
  it('is parsed from the annotation of an instance, and from nothing else', () => {
    const identity: Identity = {
      default: { mac: '02:00:00:00:00:01', ip: '10.244.0.1' },
      b: { mac: '02:00:00:00:00:02' },
    };
    const read = (text: string) => identityOf(instanceLike({ annotations: { [IDENTITY_ANNOTATION]: text } }));
    expect(read(formatIdentity(identity))).toEqual(identity);
    for (const text of ['', 'x', '[]', '1', 'null', '{"a":null,"b":{"ip":"x"},"c":7}']) expect(read(text)).toEqual({});
    expect(identityOf(instanceLike())).toEqual({});
    expect(addressesOf(identity)).toEqual(['10.244.0.1']);
  });
  it('belongs to the VM of an instance, or to the instance if it has none', () => {
    expect(holderOf(instanceLike())).toBe('vm');
    expect(holderOf(instanceLike({ owner: '' }))).toBe('i1');
  });
});

describe('a pool of addresses', () => {
  it('assigns each address to one owner at a time, except the network and broadcast address, until none is left', () => {
    const act = fc.record({ owner: fc.nat(12), take: fc.boolean(), card: fc.constantFrom('a', 'b') });
    fc.assert(
      fc.property(
        fc.constantFrom('10.0.0.0/29', '10.0.0.0/28', 'fd00::/125'),
        fc.array(act, { maxLength: 80 }),
        (range, acts) => {
          const pool = new AddressPool(range);
          const stored = new Map<string, string>();
          pool.consult((ip) =>
            [...stored].filter(([, held]) => held === ip).map(([key]) => key.slice(0, key.indexOf('/'))),
          );
          const hosts = { '10.0.0.0/29': 6, '10.0.0.0/28': 14, 'fd00::/125': 7 }[range] ?? 0;
          for (const { owner, take, card: iface } of acts) {
            const key = `${owner}/${iface}`;
            if (!take) {
              for (const each of ['a', 'b']) stored.delete(`${owner}/${each}`);
              pool.release(String(owner));
              continue;
            }
            const had = stored.get(key);
            const ip = pool.take(String(owner), iface, had);
            if (had !== undefined) expect(ip).toBe(had);
            else if (ip === undefined) expect(stored.size).toBe(hosts);
            else {
              expect([...stored.values()]).not.toContain(ip);
              expect(ip).not.toMatch(/\.0$|^fd00::$/);
              if (range.endsWith('/29')) expect(ip).not.toBe('10.0.0.7');
              if (range.endsWith('/28')) expect(ip).not.toBe('10.0.0.15');
              stored.set(key, ip);
            }
          }
        },
      ),
    );
  });

  it('reassigns released addresses', () => {
    const pool = new AddressPool('192.0.2.0/30');
    const taken = [pool.take('a', 'x'), pool.take('b', 'x')];
    expect(new Set(taken)).toEqual(new Set(['192.0.2.1', '192.0.2.2']));
    expect(pool.take('c', 'x')).toBeUndefined();
    pool.release('a');
    expect(pool.take('c', 'x')).toBe(taken[0]);
    expect(pool.take('d', 'x')).toBeUndefined();
    pool.retain('b', []);
    expect(pool.take('d', 'x')).toBe(taken[1]);
  });

  it('checks stored identities, so that another process assigns no address twice', () => {
    const pool = new AddressPool('192.0.2.0/30');
    pool.consult((ip) => (ip === '192.0.2.1' ? ['stored'] : []));
    expect(pool.take('a', 'x', '192.0.2.1')).toBe('192.0.2.2');
    expect(pool.take('stored', 'x', '192.0.2.1')).toBe('192.0.2.1');
  });
});
