import { describe, expect, it } from 'vitest';
import { fitsHost, hostFullError } from './host-capacity.ts';
import { machineMemory, startTime } from './host-machines.ts';

const GIB = 2 ** 30;
const machines = [
  { pid: 30, startedAt: 200, memoryBytes: GIB },
  { pid: 20, startedAt: 100, memoryBytes: GIB },
  { pid: 10, startedAt: 200, memoryBytes: GIB },
];

describe('the capacity of a host', () => {
  it.each([
    [undefined, 3 * GIB, true],
    [undefined, 3 * GIB - 1, false],
    [20, GIB, true],
    [10, 2 * GIB, true],
    [30, 2 * GIB, false],
  ])('lets machines start up to process %s in %i bytes: %s', (last, capacity, fits) => {
    expect(fitsHost(machines, capacity, last)).toBe(fits);
  });

  it('is shared by all instances, which the error says', () => {
    expect(hostFullError(machines, 2 * GIB).message).toBe(
      'the memory of this host is used up by its 3 machines, also those of other instances of Vimana: 3Gi of 2Gi',
    );
  });
});

it.each([
  [['/usr/bin/qemu-system-x86_64', '-m', 'size=512M', '-mon', 'chardev=keeper,mode=control'], 512 * 2 ** 20],
  [['/usr/bin/qemu-system-x86_64', '-m', 'size=512M'], undefined],
  [['/bin/sh', '-m', 'size=512M', '-mon', 'chardev=keeper,mode=control'], undefined],
  [[''], undefined],
])('the memory of %j is %s', (words, memory) => {
  expect(machineMemory(words.join('\0'))).toBe(memory);
});

it('reads the start of a process whatever its name is', () => {
  const fields = Array.from({ length: 30 }, (_, at) => `${at + 3}`).join(' ');
  expect(startTime(`12 (a ) b) ${fields}`)).toBe(22);
});
