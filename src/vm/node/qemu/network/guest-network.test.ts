import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseCidr } from '#platform/base/cidr';
import { formatIp } from '#platform/base/ip';
import { guestNetwork } from './guest-network.ts';

it.each([
  ['10.244.7.42', { range: '10.244.7.0/24', gateway: '10.244.7.1', dns: '10.244.7.2', address: '10.244.7.42' }],
  ['10.244.7.1', { range: '10.244.7.0/24', gateway: '10.244.7.2', dns: '10.244.7.3', address: '10.244.7.1' }],
  ['10.244.7.0', { range: '10.244.6.0/23', gateway: '10.244.6.1', dns: '10.244.6.2', address: '10.244.7.0' }],
  ['10.244.6.255', { range: '10.244.6.0/23', gateway: '10.244.6.1', dns: '10.244.6.2', address: '10.244.6.255' }],
  ['fd00::1', undefined],
  ['nothing', undefined],
])('the network of %s is %j', (address, network) => {
  expect(guestNetwork(address)).toEqual(network);
});

it('has different addresses for guest, gateway and DNS server, all of them within', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0x0a000001, max: 0x0afffffe }), (value) => {
      const { range, gateway, dns, address } = guestNetwork(formatIp({ family: 4, value: BigInt(value) })) ?? fail();
      expect(new Set([gateway, dns, address, range.split('/')[0]]).size).toBe(4);
      expect(() => parseCidr(range)).not.toThrow();
    }),
  );
});

function fail(): never {
  throw new Error('there is no network');
}
