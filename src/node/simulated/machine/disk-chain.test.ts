import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DiskChain } from './disk-chain.ts';

describe('a disk chain', () => {
  it('merges layers that no snapshot shows any more', () => {
    const disk = new DiskChain();
    for (const name of ['a', 'b', 'c']) {
      disk.write(0, name);
      disk.snapshot(name);
    }
    expect(disk.depth).toBe(4);
    for (const name of ['a', 'b', 'c']) disk.delete(name);
    expect(disk.depth).toBe(1);
    expect(disk.read(0)).toBe('c');
  });

  it('reads as a disk does of which every snapshot is a whole copy', () => {
    const name = fc.constantFrom('s', 't', 'u', 'v');
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), block: fc.nat(3), content: fc.string({ maxLength: 2 }) }),
      fc.record({ do: fc.constantFrom('snapshot' as const, 'restore' as const, 'delete' as const), name }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const disk = new DiskChain();
        let plain = new Map<number, string>();
        const copies = new Map<string, Map<number, string>>();
        for (const each of steps) {
          if (each.do === 'write') {
            disk.write(each.block, each.content);
            plain.set(each.block, each.content);
          } else if (each.do === 'snapshot' && !copies.has(each.name)) {
            disk.snapshot(each.name);
            copies.set(each.name, new Map(plain));
          } else if (each.do === 'restore' && copies.has(each.name)) {
            disk.restore(each.name);
            plain = new Map(copies.get(each.name));
          } else if (each.do === 'delete' && copies.delete(each.name)) {
            disk.delete(each.name);
          }
          for (let block = 0; block < 4; block++) expect(disk.read(block)).toBe(plain.get(block) ?? '');
          // One layer to write to, one for each snapshot, and at most as many where they part.
          expect(disk.depth).toBeLessThanOrEqual(1 + 2 * copies.size);
        }
      }),
    );
  });
});
