import { describe, expect, it } from 'vitest';
import { blockedRanges } from './blocked-ranges.ts';
import { isolatedLaunch, quote } from './isolated-launch.ts';
import { machineUid, NO_ISOLATION } from './isolation.ts';

const blocked = blockedRanges(['127.0.0.1', '203.0.113.9']);

describe('how QEMU is started', () => {
  it('as root: as a user of its own, without capabilities, in its own network', () => {
    const isolation = { user: 'uid', network: 'internet', blocked } as const;
    const bound = [{ file: "/data/it's", name: 'image0' }];
    const { enter, setUp, drop, outbound, owner } = isolatedLaunch({ isolation, uid: 7, bound });
    expect(enter).toEqual(['unshare', '--net', '--mount', '--ipc', '--']);
    expect(drop).toEqual(
      expect.arrayContaining(['--reuid=7', '--regid=7', '--clear-groups', '--no-new-privs', '--bounding-set=-all']),
    );
    expect(owner).toBe(7);
    expect(setUp[0]).toContain('route add unreachable 169.254.0.0/16\\n');
    expect(setUp[0]).toContain('route add unreachable 203.0.113.9/32\\n');
    expect(setUp.at(-1)).toBe("mount --bind '/data/it'\\''s' 'image0'");
    expect(outbound).toContain('--disable-host-loopback');
  });

  it('without root: in a user namespace', () => {
    const isolation = { user: 'namespace', network: 'private', blocked } as const;
    const { enter, setUp, drop, outbound, owner } = isolatedLaunch({ isolation, bound: [] });
    expect(enter).toEqual(['unshare', '--user', '--map-root-user', '--net', '--mount', '--ipc', '--']);
    expect(setUp).toEqual(['ip link set lo up']);
    expect(drop).toContain('--bounding-set=-all');
    expect([outbound, owner]).toEqual([undefined, undefined]);
  });

  it('where the host allows neither: with no privilege to gain', () => {
    const { enter, setUp, drop } = isolatedLaunch({ isolation: NO_ISOLATION, bound: [] });
    expect([enter, setUp]).toEqual([[], []]);
    expect(drop).toContain('--no-new-privs');
  });
});

it('never blocks the loopback interface of the namespace, which leads to the guest alone', () => {
  expect(blocked.filter((range) => range.startsWith('127.'))).toEqual([]);
});

it('gives each machine another user, the same one for the same machine', () => {
  const first = machineUid('a', new Set());
  expect(machineUid('a', new Set())).toBe(first);
  expect(machineUid('a', new Set([first]))).toBe(first + 1);
  expect(machineUid('b', new Set())).not.toBe(first);
  expect(first).toBeGreaterThanOrEqual(1_879_048_192);
  expect(first).toBeLessThan(2 ** 31);
});

it('quotes words for the shell', () => {
  expect(quote("a'b $c")).toBe("'a'\\''b $c'");
});
