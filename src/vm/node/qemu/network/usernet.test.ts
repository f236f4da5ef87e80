import { describe, expect, it } from 'vitest';
import { forwardCommands, forwardEndpoint, isEstablished } from './usernet.ts';

const usernet = (...states: string[]) =>
  [
    'Hub -1 (net0):',
    '  Protocol[State]    FD  Source Address  Port   Dest. Address  Port RecvQ SendQ',
    ...states.map((state) => `  ${state}   93       127.1.0.7  10000     10.244.7.42    80     0     0`),
  ].join('\r\n');

describe('connections that QEMU forwards', () => {
  it.each([
    [['TCP[ESTABLISHED]', 'TCP[HOST_FORWARD]'], true],
    [['TCP[SYN_SENT]', 'TCP[HOST_FORWARD]'], false],
    [['TCP[CLOSE_WAIT]'], true],
    [['TCP[HOST_FORWARD]'], false],
    [['UDP[236 sec]'], false],
    [[], false],
  ] as const)('in states %j have been accepted by the guest: %s', (states, accepted) => {
    expect(isEstablished(usernet(...states), forwardEndpoint(7))).toBe(accepted);
    expect(isEstablished(usernet(...states), forwardEndpoint(8))).toBe(false);
  });

  it('have loopback addresses of their own', () => {
    const numbers = [0, 1, 255, 256, 65_535, 65_536, 16_000_000, 2 ** 40];
    const addresses = numbers.map((number) => forwardEndpoint(number).address);
    expect(new Set(addresses).size).toBe(numbers.length);
    for (const address of addresses)
      expect(address).toMatch(/^127\.(?:[1-9]|[1-9]\d|1\d\d|2[0-4]\d|25[0-4])\.\d+\.\d+$/);
  });

  it('are set up and ended by commands of the human monitor', () => {
    expect(forwardCommands('net0', '10.244.7.42', 80, forwardEndpoint(0))).toEqual({
      add: 'hostfwd_add net0 tcp:127.1.0.0:10000-10.244.7.42:80',
      remove: 'hostfwd_remove net0 tcp:127.1.0.0:10000',
    });
  });
});
