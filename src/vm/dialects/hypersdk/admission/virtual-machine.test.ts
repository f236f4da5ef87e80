import { describe, expect, test } from 'vitest';
import { virtualMachine } from '#api/hypersdk/virtual-machine';
import { admissionTrial } from '#testing/admission-trial';
import { virtualMachineAdmitter } from './virtual-machine.ts';

const trial = admissionTrial(virtualMachineAdmitter);
const image = { source: 'https://images.example.org/debian.qcow2' };

function machine(spec: object, name = 'web') {
  const { apiVersion, kind } = virtualMachine;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: 'default' },
    spec: { cpus: 2, memory: '4Gi', image, ...spec },
  };
}
const annotated = (annotations: Record<string, string>) => {
  const object = machine({});
  return { ...object, metadata: { ...object.metadata, annotations } };
};
const disk = (fields: object) => machine({ disks: [{ name: 'root', size: '10Gi', ...fields }] });
const network = (fields: object) => machine({ networks: [{ name: 'net', type: 'bridge', ...fields }] });
const source = (text: string) => machine({ image: { source: text } });
const digest = (type: string, value: string) => machine({ image: { ...image, checksum: { type, value } } });

describe('a sound machine', () => {
  test('gets every default and nothing else', () => {
    const { object, causes, warnings } = trial(
      machine({
        disks: [{ name: 'root', size: '10Gi' }],
        networks: [{ name: 'net' }],
        carbonAware: {},
        firmware: {},
        guestAgent: {},
        highAvailability: {},
      }),
    );
    expect([causes, warnings]).toEqual([[], []]);
    expect(object.spec).toEqual({
      cpus: 2,
      memory: '4Gi',
      image,
      running: true,
      machineType: 'q35',
      disks: [{ name: 'root', size: '10Gi', storageClass: 'standard', type: 'disk' }],
      networks: [{ name: 'net', type: 'pod-network' }],
      carbonAware: { enabled: false, preferGreenEnergy: true, maxDelay: '4h' },
      firmware: { bootloader: 'bios', secureBoot: false },
      guestAgent: { enabled: true },
      highAvailability: {
        enabled: false,
        restartPolicy: 'Always',
        restartDelay: '30s',
        maxRestarts: 3,
        evictionStrategy: 'LiveMigrate',
      },
    });
  });

  test('may leave its name to the server', () => {
    const metadata = { generateName: 'web-', namespace: 'default' };
    expect(trial({ ...machine({}), metadata }).causes).toEqual([]);
  });

  test.each([
    'http://host/disk.img',
    'https://user@host:8443/a/b.qcow2?x=1',
    's3://my-bucket/a/b.qcow2',
    'docker://team/disk:1.0',
    'ubuntu:22.04',
    'images.example.org:5000/team/debian__base-12.1:latest',
  ])('may boot from %s', (text) => {
    expect(trial(source(text)).causes).toEqual([]);
  });
});

const WHERE = 'must be an http, https or s3 URL or a container image such as team/disk:1.0';
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('what is wrong is named with its place and what would be right', () => {
  test.each<[string, object, string[]]>([
    ['memory 0', machine({ memory: '0Gi' }), ['spec.memory: Invalid value: "0Gi": must be greater than zero']],
    [
      'more memory than can be counted',
      machine({ memory: '99999999999999999999Ti' }),
      ['spec.memory: Invalid value: "99999999999999999999Ti": must be less than 8Ei'],
    ],
    ['disk of size 0', disk({ size: 0 }), ['spec.disks[0].size: Invalid value: 0: must be greater than zero']],
    ['negative disk', disk({ size: '-1Gi' }), ['spec.disks[0].size: Invalid value: "-1Gi": must be greater than zero']],
    [
      'labels that machines are found by',
      machine({
        labels: { vm: 'other', 'hypersdk.io/vm': 'web', 'kubevirt.io/domain': 'x', 'vm.kubevirt.io/name': 'y' },
      }),
      ['vm', 'hypersdk.io/vm', 'kubevirt.io/domain', 'vm.kubevirt.io/name'].map(
        (name) => `spec.labels[${name}]: Forbidden: is reserved: it is set on every VM to select it; use another name`,
      ),
    ],
    [
      'disks that are kept, or not',
      annotated({ 'hypersdk.io/retain-disks': 'True' }),
      ['metadata.annotations[hypersdk.io/retain-disks]: Unsupported value: "True": supported values: "true", "false"'],
    ],
    [
      'access to disks that there is not',
      annotated({ 'hypersdk.io/disk-access-mode': 'RWX' }),
      [
        'metadata.annotations[hypersdk.io/disk-access-mode]: Unsupported value: "RWX": supported values: "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      ],
    ],
    [
      'secure boot without what it needs',
      machine({ machineType: 'pc', firmware: { bootloader: 'uefi', secureBoot: true } }),
      ['spec.firmware.secureBoot: Forbidden: needs machineType q35: pc has no system management mode'],
    ],
    ['disk name', disk({ name: 'Root' }), [`spec.disks[0].name: Invalid value: "Root": ${LABEL}`]],
    [
      'disk twice',
      machine({
        disks: [
          { name: 'a', size: '1Gi' },
          { name: 'a', size: '2Gi' },
        ],
      }),
      ['spec.disks[1]: Duplicate value: {"name":"a"}'],
    ],
    [
      'boot order twice',
      machine({ disks: [1, 2, 1].map((bootOrder, i) => ({ name: `d${i}`, size: '1Gi', bootOrder })) }),
      ['spec.disks[2].bootOrder: Duplicate value: 1'],
    ],
    [
      'disk from http by ftp',
      disk({ source: { http: 'ftp://host/x' } }),
      [
        'spec.disks[0].source.http: Invalid value: "ftp://host/x": must be a URL such as https://images.example.org/disk.qcow2',
      ],
    ],
    [
      'disk from s3 without object',
      disk({ source: { s3: 's3://bucket' } }),
      [
        'spec.disks[0].source.s3: Invalid value: "s3://bucket": must name a bucket and an object: s3://bucket/path/disk.qcow2',
      ],
    ],
    [
      'disk with two origins',
      disk({ source: { pvc: 'golden', http: 'https://host/x' } }),
      ['spec.disks[0].source: Invalid value: a disk has one source: at most one of pvc, http, s3 and containerDisk'],
    ],
    [
      'network twice',
      machine({ networks: [{ name: 'a' }, { name: 'a', type: 'bridge' }] }),
      ['spec.networks[1]: Duplicate value: {"name":"a"}'],
    ],
    [
      'two pod networks',
      machine({ networks: [{ name: 'a' }, { name: 'b' }] }),
      ['spec.networks[1].type: Invalid value: "pod-network": only one network of a VM can be the pod network'],
    ],
    [
      'multus without a name',
      network({ type: 'multus' }),
      [
        'spec.networks[0].multusNetworkName: Required value: multusNetworkName is required for a network of type multus',
      ],
    ],
    [
      'multus name with two slashes',
      network({ type: 'multus', multusNetworkName: 'a/b/c' }),
      ['spec.networks[0].multusNetworkName: Invalid value: "a/b/c": must be the name of a network, or namespace/name'],
    ],
    [
      'short MAC',
      network({ macAddress: '02:00:00:12:34' }),
      [
        'spec.networks[0].macAddress: Invalid value: "02:00:00:12:34": must be six pairs of hexadecimal digits such as 02:00:00:12:34:56',
      ],
    ],
    [
      'multicast MAC',
      network({ macAddress: '01:00:5e:00:00:01' }),
      [
        'spec.networks[0].macAddress: Invalid value: "01:00:5e:00:00:01": must be a unicast address: the first pair must be even',
      ],
    ],
    [
      'zero MAC',
      network({ macAddress: '00:00:00:00:00:00' }),
      ['spec.networks[0].macAddress: Invalid value: "00:00:00:00:00:00": must not be all zeros'],
    ],
    [
      'MAC twice in two spellings',
      machine({
        networks: [
          { name: 'a', macAddress: '02:00:00:00:00:ab' },
          { name: 'b', type: 'bridge', macAddress: '02-00-00-00-00-AB' },
        ],
      }),
      ['spec.networks[1].macAddress: Duplicate value: "02-00-00-00-00-AB"'],
    ],
    [
      'unknown scheme',
      source('ftp://host/x'),
      ['spec.image.source: Invalid value: "ftp://host/x": unknown scheme ftp://: use http, https, s3 or docker'],
    ],
    ['image that is none', source('not an image'), [`spec.image.source: Invalid value: "not an image": ${WHERE}`]],
    ['docker without image', source('docker://'), [`spec.image.source: Invalid value: "docker://": ${WHERE}`]],
    [
      'image and template',
      machine({ image: { ...image, templateRef: { name: 'debian' } } }),
      ['spec.image: Invalid value: at most one of source and templateRef: a template has its own image'],
    ],
    [
      'short md5',
      digest('md5', 'abc'),
      ['spec.image.checksum.value: Invalid value: "abc": must be 32 hexadecimal digits for md5'],
    ],
    [
      'md5 called sha256',
      digest('sha256', 'a'.repeat(32)),
      [`spec.image.checksum.value: Invalid value: "${'a'.repeat(32)}": must be 64 hexadecimal digits for sha256`],
    ],
    [
      'sha512 with other letters',
      digest('sha512', 'g'.repeat(128)),
      [`spec.image.checksum.value: Invalid value: "${'g'.repeat(128)}": must be 128 hexadecimal digits for sha512`],
    ],
    [
      'checksum without type',
      machine({ image: { ...image, checksum: { value: 'a'.repeat(64) } } }),
      ['spec.image.checksum: Required value: type and value of a checksum must be set together'],
    ],
    [
      'cloud-init twice',
      machine({ cloudInit: { userData: '#cloud-config', secretRef: { name: 'seed' } } }),
      [
        'spec.cloudInit: Invalid value: cloud-init is either inline (userData, networkData) or from secretRef, not both',
      ],
    ],
    [
      'long cloud-init, counted in bytes',
      machine({ cloudInit: { userData: 'ä'.repeat(32_769) } }),
      [
        'spec.cloudInit.userData: Invalid value: is 65538 bytes, the maximum is 64 KiB: let the guest download the rest',
      ],
    ],
    [
      'carbon threshold 0',
      machine({ carbonAware: { maxIntensity: 0 } }),
      [
        'spec.carbonAware.maxIntensity: Invalid value: 0: spec.carbonAware.maxIntensity in body should be greater than or equal to 1',
      ],
    ],
    [
      'carbon zone',
      machine({ carbonAware: { zone: 'Germany' } }),
      [
        'spec.carbonAware.zone: Invalid value: "Germany": must be a country code, optionally with a grid area: DE, US-CAL-CISO',
      ],
    ],
    [
      'no delay at all',
      machine({ carbonAware: { maxDelay: '0s' } }),
      ['spec.carbonAware.maxDelay: Invalid value: "0s": must be greater than zero'],
    ],
    [
      'delay beyond 292 years',
      machine({ highAvailability: { restartDelay: '9999999h' } }),
      ['spec.highAvailability.restartDelay: Invalid value: "9999999h": must be a duration such as 30s or 1h30m'],
    ],
    [
      'secure boot on BIOS',
      machine({ firmware: { secureBoot: true } }),
      ['spec.firmware.secureBoot: Invalid value: secureBoot needs bootloader uefi'],
    ],
    [
      'shared whole GPU',
      machine({ gpus: [{ virtualGPU: true, passthrough: true }] }),
      ['spec.gpus[0]: Invalid value: a GPU is either shared (virtualGPU) or passed through (passthrough), not both'],
    ],
    ['GPU twice', machine({ gpus: [{ name: 'a' }, { name: 'a' }] }), ['spec.gpus[1].name: Duplicate value: "a"']],
    [
      'nameless USB device',
      machine({ usbDevices: [{ name: 'key' }] }),
      ['spec.usbDevices[0]: Required value: a USB device needs vendorId and productId, or resourceName'],
    ],
    [
      'half a USB id',
      machine({ usbDevices: [{ name: 'key', vendorId: '0529' }] }),
      ['spec.usbDevices[0]: Required value: vendorId and productId must be set together'],
    ],
    [
      'label value',
      machine({ labels: { app: 'a b' } }),
      [
        `spec.labels[app]: Invalid value: "a b": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      ],
    ],
    [
      'annotation key',
      machine({ annotations: { '/x': '' } }),
      ['spec.annotations: Invalid value: "/x": prefix part must be non-empty'],
    ],
    ['long name', machine({}, 'a'.repeat(64)), ['metadata.name: Too long: may not be more than 63 bytes']],
  ])('%s', (_what, object, causes) => {
    expect(trial(object).causes).toEqual(causes);
  });

  test('all causes come together', () => {
    const { causes } = trial(
      machine({ memory: '0Gi', carbonAware: { zone: '?' }, networks: [{ name: 'net', macAddress: 'x' }] }),
    );
    expect(causes.map((cause) => cause.split(':')[0])).toEqual([
      'spec.memory',
      'spec.networks[0].macAddress',
      'spec.carbonAware.zone',
    ]);
  });
});
