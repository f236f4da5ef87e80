import { describe, expect, test } from 'vitest';
import { quantity } from '#platform/schema/schema';
import { tryVm, type VmCase, type VmSpecOptions } from '#testing/vm-trial';

const QUANTITY = quantity('').json.pattern;

const cases = (rows: readonly VmCase[]) =>
  test.each(rows)('%s', (_, parts, causes) => expect(tryVm(parts).causes).toEqual(causes));

describe('processors and memory', () => {
  const resources = (requests: object, limits: object = {}): VmSpecOptions => ({
    domain: { resources: { requests, limits } },
  });
  const at = 'spec.domain.resources';
  cases([
    ['a request within its limit', resources({ cpu: '500m', memory: '1Gi' }, { cpu: 1, memory: '1024Mi' }), []],
    [
      'a request over its limit',
      resources({ cpu: '1500m' }, { cpu: 1 }),
      [`${at}.requests[cpu]: Invalid value: "1500m": must be less than or equal to cpu limit of 1`],
    ],
    [
      'less than nothing',
      resources({ cpu: '-1' }),
      [`${at}.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0`],
    ],
    [
      'hardly any memory',
      resources({ memory: '999k' }),
      [`${at}.requests[memory]: Invalid value: "999k": must be greater than or equal to 1M`],
    ],
    [
      'guest memory without a suffix',
      { domain: { memory: { guest: '8' } } },
      [
        'spec.domain.memory.guest: Invalid value: "8": must be greater than or equal to 1M: 8 without a suffix is 8 bytes; did you mean 8Gi?',
      ],
    ],
    [
      'maximum guest memory in thousandths of a byte',
      { domain: { memory: { guest: '1M', maxGuest: '512m' } } },
      [
        'spec.domain.memory.maxGuest: Invalid value: "512m": must be greater than or equal to 1M: m means thousandths of a byte; did you mean 512Mi?',
        'spec.domain.memory.maxGuest: Invalid value: "512m": must be equal to or more than the guest memory of 1M',
      ],
    ],
    [
      'an amount that is none, which the schema tells already',
      resources({ memory: 'lots' }),
      [`${at}.requests.memory: Invalid value: "lots": ${at}.requests.memory in body should match '${QUANTITY}'`],
    ],
    [
      'more guest memory than the limit',
      { domain: { memory: { guest: '2Gi' }, resources: { limits: { memory: '2G' } } } },
      ['spec.domain.memory.guest: Invalid value: "2Gi": must be equal to or less than the memory limit of 2G'],
    ],
    [
      'less memory at most than at the start',
      { domain: { memory: { guest: '2Gi', maxGuest: '1Gi' } } },
      ['spec.domain.memory.maxGuest: Invalid value: "1Gi": must be equal to or more than the guest memory of 2Gi'],
    ],
    [
      'memory that is no multiple of its pages',
      { domain: { memory: { guest: '1500Mi', hugepages: { pageSize: '1Gi' } } } },
      [
        'spec.domain.memory.hugepages.pageSize: Invalid value: "1Gi": the guest memory of 1500Mi is not a multiple of the page size',
      ],
    ],
    [
      'no memory at all',
      { domain: { memory: undefined } },
      [
        "spec.domain.memory.guest: Required value: no memory requested, at least one of 'spec.domain.memory.guest', 'spec.domain.memory.hugepages.size' or 'spec.domain.resources.requests.memory' must be set",
      ],
    ],
    [
      'more sockets than can be plugged in',
      { domain: { memory: { guest: '1Gi' }, cpu: { sockets: 4, maxSockets: 2 } } },
      [
        'spec.domain.cpu.sockets: Invalid value: Number of sockets in CPU topology is greater than the maximum sockets allowed',
      ],
    ],
    [
      'no cores',
      { domain: { memory: { guest: '1Gi' }, cpu: { cores: 0 } } },
      ['spec.domain.cpu.cores: Invalid value: 0: spec.domain.cpu.cores in body should be greater than or equal to 1'],
    ],
  ]);
});

describe('firmware', () => {
  const firmware = (firmware: object, features: object = {}): VmSpecOptions => ({
    domain: { memory: { guest: '1Gi' }, firmware, features },
  });
  const at = 'spec.domain.firmware';
  cases([
    ['secure boot with what it needs', firmware({ bootloader: { efi: {} } }, { smm: {} }), []],
    [
      'secure boot, which is what efi means when nothing else is said, without SMM',
      firmware({ bootloader: { efi: {} } }),
      [
        `${at}.bootloader.efi.secureBoot: Invalid value: true: SecureBoot requires SMM: enable domain.features.smm, or set secureBoot to false`,
      ],
    ],
    [
      'BIOS and UEFI',
      firmware({ bootloader: { bios: {}, efi: { secureBoot: false } } }),
      [`${at}.bootloader: Invalid value: EFI and BIOS are mutually exclusive`],
    ],
    [
      'a UUID that is none',
      firmware({ uuid: 'web-1' }),
      [`${at}.uuid: Invalid value: "web-1": must be a UUID, such as 5d307ca9-b3ef-428c-8861-06e72d69f223`],
    ],
  ]);
});

describe('the clock', () => {
  const zone = (timezone: string): VmSpecOptions => ({ domain: { memory: { guest: '1Gi' }, clock: { timezone } } });
  cases([
    ['a zone that is there', zone('Europe/Berlin'), []],
    [
      'a zone that nobody knows',
      zone('Mars/Olympus'),
      ['spec.domain.clock.timezone: Invalid value: "Mars/Olympus": must be a time zone, such as Europe/Berlin'],
    ],
  ]);
});

describe('graphics cards', () => {
  cases([
    [
      'a card without a device',
      { devices: { gpus: [{ name: 'a' }] } },
      ['spec.domain.devices.gpus[0].deviceName: Required value'],
    ],
    [
      'two of one name',
      {
        devices: {
          gpus: [
            { name: 'a', deviceName: 'x/y' },
            { name: 'a', deviceName: 'x/y' },
          ],
        },
      },
      ['spec.domain.devices.gpus[1].name: Duplicate value: "a"'],
    ],
  ]);
});
