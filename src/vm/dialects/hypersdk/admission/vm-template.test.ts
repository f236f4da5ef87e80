import { describe, expect, test } from 'vitest';
import { vmTemplate } from '#api/hypersdk/vm-template';
import { admissionTrial } from '#testing/admission-trial';
import { vmTemplateAdmitter } from './vm-template.ts';

const trial = admissionTrial(vmTemplateAdmitter);
const image = { source: 's3://images/debian-12.qcow2' };

function template(spec: object = {}) {
  const { apiVersion, kind } = vmTemplate;
  return {
    apiVersion,
    kind,
    metadata: { name: 'debian', namespace: 'default' },
    spec: { displayName: 'Debian', image, ...spec },
  };
}
const defaults = (defaultSpec: object) => template({ defaultSpec });

test('a template gets a version and a format, and its default spec gets no defaults', () => {
  const defaultSpec = { disks: [{ name: 'root' }], firmware: {}, carbonAware: { enabled: true } };
  const { object, causes } = trial(defaults(defaultSpec));
  expect(causes).toEqual([]);
  expect(object.spec).toEqual({
    displayName: 'Debian',
    version: '1.0.0',
    image: { ...image, format: 'qcow2' },
    defaultSpec,
  });
});

describe('a version', () => {
  test.each(['0.0.0', '1.2.3', '10.20.30-rc.1', '1.0.0-alpha+001', '1.0.0+build.5'])('may be %s', (version) => {
    expect(trial(template({ version })).causes).toEqual([]);
  });

  test.each(['', '1', '1.2', 'v1.2.3', '01.2.3', '1.2.3-', '1.2.3-01', '22.04'])('may not be "%s"', (version) => {
    expect(trial(template({ version })).causes).toEqual([
      `spec.version: Invalid value: "${version}": must be a semantic version such as 1.4.0`,
    ]);
  });
});

describe('errors contain the field and a remedy:', () => {
  test.each<[string, object, string]>([
    [
      'an unknown image scheme',
      template({ image: { source: 'nfs://host/x' } }),
      'spec.image.source: Invalid value: "nfs://host/x": unknown scheme nfs://: use http, https, s3 or docker',
    ],
    [
      'an invalid image digest',
      template({ image: { ...image, checksum: { type: 'sha256', value: 'abc' } } }),
      'spec.image.checksum.value: Invalid value: "abc": must be 64 hexadecimal digits for sha256',
    ],
    [
      'an invalid default MAC address',
      defaults({ networks: [{ name: 'net', macAddress: 'x' }] }),
      'spec.defaultSpec.networks[0].macAddress: Invalid value: "x": must be six pairs of hexadecimal digits such as 02:00:00:12:34:56',
    ],
    [
      'a second default pod network',
      defaults({ networks: [{ name: 'a' }, { name: 'b' }] }),
      'spec.defaultSpec.networks[1].type: Invalid value: "pod-network": only one network of a VM can be the pod network',
    ],
    [
      'invalid default firmware',
      defaults({ firmware: { secureBoot: true } }),
      'spec.defaultSpec.firmware.secureBoot: Invalid value: secureBoot needs bootloader uefi',
    ],
    [
      'a default disk without a name',
      defaults({ disks: [{ size: '1Gi' }] }),
      'spec.defaultSpec.disks[0].name: Required value',
    ],
    [
      'too many default CPUs',
      defaults({ cpus: 129 }),
      'spec.defaultSpec.cpus: Invalid value: 129: spec.defaultSpec.cpus in body should be less than or equal to 128',
    ],
    [
      'a feature of two words',
      template({ requiredFeatures: ['kvm', 'a/b'] }),
      'spec.requiredFeatures[1]: Invalid value: "a/b": must be one word, such as kvm',
    ],
    [
      'invalid recommended memory',
      template({ recommendedResources: { minMemory: 0 } }),
      'spec.recommendedResources.minMemory: Invalid value: 0: must be greater than zero',
    ],
    [
      'cloud-init that is too long',
      template({ cloudInit: { defaultUserData: 'x'.repeat(65_537) } }),
      'spec.cloudInit.defaultUserData: Invalid value: is 65537 bytes, the maximum is 64 KiB: let the guest download the rest',
    ],
  ])('%s', (_what, object, cause) => {
    expect(trial(object).causes[0]).toBe(cause);
  });

  test('an unknown field of a VM in the default spec', () => {
    expect(trial(defaults({ cpu: 2 })).unknownFields).toEqual(['spec.defaultSpec.cpu']);
  });
});

describe('a template gets a warning', () => {
  const recommendedResources = { minCpus: 2, minMemory: '4Gi', minDiskSize: '20Gi' };

  test('about defaults below its own recommendation', () => {
    const small = { cpus: 1, memory: '4095Mi', disks: [{ name: 'root', size: '10Gi' }] };
    expect(
      trial(template({ defaultSpec: small, recommendedResources, image: { ...image, size: '11Gi' } })),
    ).toMatchObject({
      causes: [],
      warnings: [
        'spec.defaultSpec.cpus (1) is less than spec.recommendedResources.minCpus (2)',
        'spec.defaultSpec.memory (4095Mi) is less than spec.recommendedResources.minMemory (4Gi)',
        'spec.defaultSpec.disks[0].size (10Gi) is less than spec.recommendedResources.minDiskSize (20Gi)',
        'spec.defaultSpec.disks[0].size (10Gi) is less than spec.image.size (11Gi)',
      ],
    });
  });

  test('only if the defaults are insufficient', () => {
    const enough = { cpus: 2, memory: '4096Mi', disks: [{ name: 'root', size: '20Gi' }] };
    expect(trial(template({ defaultSpec: enough, recommendedResources })).warnings).toEqual([]);
    expect(trial(template({ defaultSpec: {}, recommendedResources })).warnings).toEqual([]);
  });

  test('about an address that VMs would share', () => {
    expect(trial(defaults({ networks: [{ name: 'net', macAddress: '02:00:00:00:00:01' }] })).warnings).toEqual([
      'spec.defaultSpec.networks[0].macAddress is ignored: VMs cannot share an address',
    ]);
  });

  test('about defaults that never take effect', () => {
    expect(trial(defaults({ running: false, machineType: 'pc', image: { source: 'debian:12' } }))).toMatchObject({
      causes: [],
      warnings: [
        'spec.defaultSpec.running has no effect: every VirtualMachine has its own running',
        'spec.defaultSpec.machineType has no effect: every VirtualMachine has its own machineType',
        'spec.defaultSpec.image is ignored: VMs use spec.image',
      ],
    });
  });
});

test('the defaults of a template can be changed freely', () => {
  const withClass = (storageClass: string, size: string) => defaults({ disks: [{ name: 'root', size, storageClass }] });
  expect(trial(withClass('fast', '1Gi'), withClass('slow', '2Gi')).causes).toEqual([]);
});
