import { describe, expect, test } from 'vitest';
import { admissionTrial } from '../../testing/admission-trial.ts';
import { virtualMachineInstanceAdmitter } from './virtual-machine-instance.ts';

const tryOut = admissionTrial(virtualMachineInstanceAdmitter({ operatorUser: 'operator' }));

interface Parts {
  readonly spec?: object;
  readonly domain?: object;
  readonly devices?: object;
}

const image = { image: 'registry.example.com/disk:1' };
const root = { name: 'root', containerDisk: image };
const rootDisk = { name: 'root', disk: {} };

/** A machine that is fine but for the parts that are given. */
function machine({ spec = {}, domain = {}, devices = {} }: Parts) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'm', namespace: 'default' },
    spec: {
      domain: { memory: { guest: '1Gi' }, devices: { disks: [rootDisk], ...devices }, ...domain },
      volumes: [root],
      ...spec,
    },
  };
}

const causesOf = (parts: Parts) => tryOut(machine(parts)).causes;

test('the machine that all cases change is accepted', () => {
  expect(tryOut(machine({}))).toMatchObject({ causes: [], warnings: [], unknownFields: [] });
});

type Case = readonly [what: string, parts: Parts, causes: readonly string[]];
const cases = (rows: readonly Case[]) =>
  test.each(rows)('%s', (_, parts, causes) => expect(causesOf(parts)).toEqual(causes));

const disk = (index: number) => `spec.domain.devices.disks[${index}]`;
const card = (index: number) => `spec.domain.devices.interfaces[${index}]`;
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('disks', () => {
  cases([
    [
      'a disk without its volume',
      { devices: { disks: [rootDisk, { name: 'data' }] } },
      [`${disk(1)}.name: Not found: "data"`],
    ],
    ['an empty CD-ROM drive is fine', { devices: { disks: [rootDisk, { name: 'drive', cdrom: {} }] } }, []],
    [
      'the old form with a volume that is there is fine',
      { devices: { disks: [{ name: 'first', volumeName: 'root' }] } },
      [],
    ],
    [
      'the old form with an unknown volume',
      { devices: { disks: [rootDisk, { name: 'second', volumeName: 'nope' }] } },
      [`${disk(1)}.volumeName: Not found: "nope"`],
    ],
    [
      'two targets',
      { devices: { disks: [{ name: 'root', disk: {}, cdrom: {} }] } },
      [`${disk(0)}: Invalid value: "disk, cdrom": can only have a single target type defined: disk, cdrom or lun`],
    ],
    [
      'a read-only sata disk',
      { devices: { disks: [{ name: 'root', disk: { bus: 'sata', readonly: true } }] } },
      [
        `${disk(0)}.disk.readonly: Invalid value: true: sata hard-disks do not support read-only; use virtio, scsi or a cdrom`,
      ],
    ],
    [
      'a name that no container may have',
      {
        devices: { disks: [rootDisk, { name: 'My_Disk' }] },
        spec: { volumes: [root, { name: 'My_Disk', emptyDisk: { capacity: '1Gi' } }] },
      },
      [
        `${disk(1)}.name: Invalid value: "My_Disk": ${LABEL_RULE}`,
        `spec.volumes[1].name: Invalid value: "My_Disk": ${LABEL_RULE}`,
      ],
    ],
    [
      'one place in the boot order for a disk and a card',
      {
        devices: {
          disks: [{ ...rootDisk, bootOrder: 1 }],
          interfaces: [{ name: 'net', masquerade: {}, bootOrder: 1 }],
        },
        spec: { networks: [{ name: 'net', pod: {} }] },
      },
      [`${card(0)}.bootOrder: Duplicate value: 1`],
    ],
    [
      'a boot order of zero',
      { devices: { disks: [{ ...rootDisk, bootOrder: 0 }] } },
      [`${disk(0)}.bootOrder: Invalid value: 0: ${disk(0)}.bootOrder in body should be greater than or equal to 1`],
    ],
    [
      'two disks of one name',
      { devices: { disks: [rootDisk, rootDisk] } },
      [`${disk(1)}: Duplicate value: {"name":"root"}`],
    ],
  ]);
});

describe('volumes', () => {
  const second = (source: object): Parts => ({
    devices: { disks: [rootDisk, { name: 'second' }] },
    spec: { volumes: [root, { name: 'second', ...source }] },
  });
  const at = 'spec.volumes[1]';
  cases([
    ['no source', second({}), [`${at}: Required value: must have exactly one source type set`]],
    [
      'two sources',
      second({ emptyDisk: { capacity: '1Gi' }, containerDisk: image }),
      [`${at}: Invalid value: "emptyDisk, containerDisk": must have exactly one source type set`],
    ],
    [
      'a volume that nothing shows',
      { spec: { volumes: [root, { name: 'lost', emptyDisk: { capacity: '1Gi' } }] } },
      [`${at}.name: Invalid value: "lost": no disk or filesystem has this name`],
    ],
    [
      'a shared file system shows its volume',
      {
        devices: { filesystems: [{ name: 'shared', virtiofs: {} }] },
        spec: { volumes: [root, { name: 'shared', persistentVolumeClaim: { claimName: 'shared' } }] },
      },
      [],
    ],
    [
      'a memory dump is not shown',
      { spec: { volumes: [root, { name: 'dump', memoryDump: { claimName: 'dump' } }] } },
      [],
    ],
    [
      'an empty disk of no size',
      second({ emptyDisk: { capacity: '0' } }),
      [`${at}.emptyDisk.capacity: Invalid value: "0": must be greater than zero`],
    ],
    [
      'a relative path in a container image',
      second({ containerDisk: { ...image, path: '/disk/../etc/passwd' } }),
      [
        `${at}.containerDisk.path: Invalid value: "/disk/../etc/passwd": must be an absolute path to a file without relative components`,
      ],
    ],
    ['an absolute path', second({ containerDisk: { ...image, path: '/disk/root.qcow2' } }), []],
    ['a ConfigMap without a name', second({ configMap: {} }), [`${at}.configMap.name: Required value`]],
    ['a Secret without a name', second({ secret: {} }), [`${at}.secret.secretName: Required value`]],
    [
      'a size for a host disk that exists',
      second({ hostDisk: { path: '/data/x.img', type: 'Disk', capacity: '1Gi' } }),
      [`${at}.hostDisk.capacity: Invalid value: "1Gi": is allowed to pass only with type equal to DiskOrCreate`],
    ],
  ]);

  describe.each(['cloudInitNoCloud', 'cloudInitConfigDrive'])('%s', (form) => {
    const seed = (source: object) => second({ [form]: source });
    cases([
      ['text', seed({ userData: '#cloud-config' }), []],
      ['network data alone', seed({ networkData: 'version: 2' }), []],
      ['base64 with line breaks', seed({ userDataBase64: 'I2Ns\nb3Vk' }), []],
      [
        'nothing',
        seed({ userData: '' }),
        [`${at}.${form}: Required value: must have at least one userdatasource or one networkdatasource set`],
      ],
      [
        'two forms of user data',
        seed({ userData: 'a', secretRef: { name: 's' } }),
        [`${at}.${form}: Invalid value: "userData, secretRef": must have only one userdatasource set`],
      ],
      [
        'two forms of network data',
        seed({ networkData: 'a', networkDataBase64: 'YQ==' }),
        [`${at}.${form}: Invalid value: "networkData, networkDataBase64": must have only one networkdata source set`],
      ],
      [
        'no base64',
        seed({ userDataBase64: 'a?' }),
        [`${at}.${form}.userDataBase64: Invalid value: "a?": must be base64`],
      ],
      ['as much text as KubeVirt takes', seed({ userData: 'x'.repeat(2048) }), []],
      [
        'more text than KubeVirt takes, counted in bytes',
        seed({ userData: 'ä'.repeat(1025) }),
        [`${at}.${form}.userData: Too long: may not be more than 2048 bytes`],
      ],
      ['as much base64', seed({ userDataBase64: Buffer.alloc(2048).toString('base64') }), []],
      [
        'more base64',
        seed({ userDataBase64: Buffer.alloc(2049).toString('base64') }),
        [`${at}.${form}.userDataBase64: Too long: may not be more than 2048 bytes`],
      ],
    ]);
  });
});

describe('networks', () => {
  const net = (interfaces: readonly object[], networks: readonly object[]): Parts => ({
    devices: { interfaces },
    spec: { networks },
  });
  const pod = { name: 'net', pod: {} };
  const nic = { name: 'net', masquerade: {} };
  cases([
    ['a card on the pod network', net([nic], [pod]), []],
    ['a card without a binding gets the standard one', net([{ name: 'net' }], [pod]), []],
    [
      'a card without a network',
      net([nic, { name: 'other', bridge: {} }], [pod]),
      [`${card(1)}.name: Not found: "other"`],
    ],
    [
      'a network without a card',
      net([nic], [pod, { name: 'other', multus: { networkName: 'x' } }]),
      ['spec.networks[1].name: Invalid value: "other": no interface has this name'],
    ],
    [
      'a network without a source',
      net([nic], [{ name: 'net' }]),
      ['spec.networks[0]: Required value: should have a network type: pod or multus'],
    ],
    [
      'a network with two sources',
      net([{ name: 'net', bridge: {} }], [{ ...pod, multus: { networkName: 'x' } }]),
      ['spec.networks[0]: Invalid value: "pod, multus": should have only one network type'],
    ],
    [
      'two pod networks',
      net([nic, { name: 'more', masquerade: {} }], [pod, { name: 'more', pod: {} }]),
      ['spec.networks: Invalid value: 2: more than one interface is connected to a pod network'],
    ],
    [
      'a default network beside the pod network',
      net([nic, { name: 'more', bridge: {} }], [pod, { name: 'more', multus: { networkName: 'x', default: true } }]),
      ['spec.networks: Invalid value: 2: Pod network cannot be defined when Multus default network is defined'],
    ],
    [
      'a network name with too many parts',
      net([{ name: 'net', bridge: {} }], [{ name: 'net', multus: { networkName: 'a/b/c' } }]),
      ['spec.networks[0].multus.networkName: Invalid value: "a/b/c": must be a name, or namespace/name'],
    ],
    [
      'a range that is none',
      net([nic], [{ name: 'net', pod: { vmNetworkCIDR: '10.0.2.0/33' } }]),
      ['spec.networks[0].pod.vmNetworkCIDR: Invalid value: "10.0.2.0/33": must be an IPv4 range, such as 10.0.2.0/24'],
    ],
    [
      'a range of the other family',
      net([nic], [{ name: 'net', pod: { vmIPv6NetworkCIDR: '10.0.2.0/24' } }]),
      [
        'spec.networks[0].pod.vmIPv6NetworkCIDR: Invalid value: "10.0.2.0/24": must be an IPv6 range, such as fd10:0:2::/120',
      ],
    ],
    [
      'two bindings, one of which nothing acts on',
      net([{ ...nic, sriov: {} }], [pod]),
      [`${card(0)}: Invalid value: "masquerade, sriov": cannot have more than one interface type`],
    ],
    [
      'masquerade on a further network',
      net([nic], [{ name: 'net', multus: { networkName: 'x' } }]),
      [`${card(0)}.masquerade: Invalid value: "net": Masquerade interface only implemented with pod network`],
    ],
    [
      'a hardware address that is none',
      net([{ ...nic, macAddress: '02:00:5e:10:00' }], [pod]),
      [`${card(0)}.macAddress: Invalid value: "02:00:5e:10:00": malformed MAC address, must be like 02:00:5e:10:00:01`],
    ],
    [
      'the hardware address of a group',
      net([{ ...nic, macAddress: '01:00:5e:10:00:01' }], [pod]),
      [
        `${card(0)}.macAddress: Invalid value: "01:00:5e:10:00:01": must be the address of one card: the first byte must be even`,
      ],
    ],
    [
      'one hardware address twice, however it is written',
      net(
        [
          { ...nic, macAddress: '02:00:5e:10:00:0a' },
          { name: 'more', bridge: {}, macAddress: '02-00-5E-10-00-0A' },
        ],
        [pod, { name: 'more', multus: { networkName: 'x' } }],
      ),
      [`${card(1)}.macAddress: Duplicate value: "02-00-5E-10-00-0A"`],
    ],
    [
      'one port name twice',
      net(
        [
          {
            ...nic,
            ports: [
              { port: 80, name: 'web' },
              { port: 81, name: 'web' },
            ],
          },
        ],
        [pod],
      ),
      [`${card(0)}.ports[1].name: Duplicate value: "web"`],
    ],
    [
      'a name with a dot',
      net([{ name: 'a.b', masquerade: {} }], [{ name: 'a.b', pod: {} }]),
      [`spec.networks[0].name`, `${card(0)}.name`].map(
        (field) =>
          `${field}: Invalid value: "a.b": can only contain alphabetical characters, numbers, dashes (-) or underscores (_)`,
      ),
    ],
  ]);
});

describe('processors and memory', () => {
  const resources = (requests: object, limits: object = {}): Parts => ({ domain: { resources: { requests, limits } } });
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
  const firmware = (firmware: object, features: object = {}): Parts => ({
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
  const zone = (timezone: string): Parts => ({ domain: { memory: { guest: '1Gi' }, clock: { timezone } } });
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

describe('probes', () => {
  const ready = (readinessProbe: object, spec: object = {}): Parts => ({ spec: { readinessProbe, ...spec } });
  const at = 'spec.readinessProbe';
  cases([
    ['one way to check', ready({ tcpSocket: { port: 22 } }), []],
    ['a named port', ready({ httpGet: { port: 'web' } }), []],
    [
      'no way to check',
      ready({}),
      [`${at}: Required value: must have exactly one probe type set: httpGet, tcpSocket, exec, guestAgentPing`],
    ],
    [
      'two ways to check',
      ready({ tcpSocket: { port: 22 }, guestAgentPing: {} }),
      [`${at}: Invalid value: "tcpSocket, guestAgentPing": must have exactly one probe type set`],
    ],
    [
      'no such port',
      ready({ tcpSocket: { port: 65536 } }),
      [`${at}.tcpSocket.port: Invalid value: 65536: must be between 1 and 65535, inclusive`],
    ],
    [
      'no port name',
      ready({ httpGet: { port: '8080' } }),
      [
        `${at}.httpGet.port: Invalid value: "8080": must be a number, or a name of at most 15 lower case letters, digits and dashes with a letter in it`,
      ],
    ],
    ['no command', ready({ exec: {} }), [`${at}.exec.command: Required value`]],
    [
      'a port where nobody can reach it',
      { ...ready({ tcpSocket: { port: 22 } }), devices: { autoattachPodInterface: false } },
      [`${at}.tcpSocket: Forbidden: is only allowed if the Pod Network is attached`],
    ],
    [
      'a guest that starts paused and is expected to answer',
      { spec: { livenessProbe: { guestAgentPing: {}, successThreshold: 2 }, startStrategy: 'Paused' } },
      [
        'spec.livenessProbe.successThreshold: Invalid value: 2: must be 1',
        'spec.startStrategy: Invalid value: "Paused": Pausing VMI with LivenessProbe is not supported',
      ],
    ],
  ]);
});

describe('access credentials', () => {
  const credential = (accessCredential: object): Parts => ({ spec: { accessCredentials: [accessCredential] } });
  const source = { secret: { secretName: 'keys' } };
  const at = 'spec.accessCredentials[0]';
  cases([
    [
      'keys through the guest agent',
      credential({ sshPublicKey: { source, propagationMethod: { qemuGuestAgent: { users: ['root'] } } } }),
      [],
    ],
    [
      'keys for nobody',
      credential({ sshPublicKey: { source, propagationMethod: { qemuGuestAgent: { users: [] } } } }),
      [
        `${at}.sshPublicKey.propagationMethod.qemuGuestAgent.users: Required value: requires at least one user to be present in the users list`,
      ],
    ],
    [
      'keys by a volume that is not there',
      credential({ sshPublicKey: { source, propagationMethod: { noCloud: {} } } }),
      [
        `${at}.sshPublicKey.propagationMethod: Invalid value: "noCloud": requires a noCloud volume to exist when it is in use`,
      ],
    ],
    [
      'nothing',
      credential({}),
      [`${at}: Required value: must have exactly one access credential type set: sshPublicKey or userPassword`],
    ],
    [
      'a password from nowhere, by no way',
      credential({ userPassword: { source: {}, propagationMethod: {} } }),
      [
        `${at}.userPassword.source: Required value: must have exactly one source set`,
        `${at}.userPassword.propagationMethod: Required value: must have exactly one propagationMethod set`,
      ],
    ],
  ]);
});

describe('placement and names', () => {
  const affinity = (affinity: object): Parts => ({ spec: { affinity } });
  const terms = (nodeSelectorTerms: readonly object[]) =>
    affinity({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } });
  const term = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  cases([
    [
      'a host name with a dot',
      { spec: { hostname: 'a.b' } },
      ['spec.hostname: Invalid value: "a.b": must not contain dots'],
    ],
    [
      'a toleration of one value of any key',
      { spec: { tolerations: [{ value: 'x' }] } },
      [
        'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      'a toleration that ends without ever being needed',
      {
        spec: {
          tolerations: [{ key: 'k', operator: 'Exists', value: 'v', effect: 'NoSchedule', tolerationSeconds: 5 }],
        },
      },
      [
        'spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
        'spec.tolerations[0].value: Invalid value: "v": value must be empty when `operator` is \'Exists\'',
      ],
    ],
    [
      'a selector that no label can match',
      { spec: { nodeSelector: { zone: 'a b' } } },
      [expect.stringMatching(/^spec\.nodeSelector\[zone\]: Invalid value: "a b": a valid label must be/)],
    ],
    ['no node term', terms([]), [`${term}: Required value: must have at least one node selector term`]],
    [
      'values where there must be some, and where there must be none',
      terms([
        {
          matchExpressions: [
            { key: 'a', operator: 'In' },
            { key: 'b', operator: 'Exists', values: ['x'] },
            { key: 'c', operator: 'Gt', values: ['many'] },
          ],
          matchFields: [{ key: 'spec.x', operator: 'Exists' }],
        },
      ]),
      [
        `${term}[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
        `${term}[0].matchExpressions[1].values: Invalid value: "x": may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
        `${term}[0].matchExpressions[2].values: Required value: must be one integer when \`operator\` is 'Lt' or 'Gt'`,
        `${term}[0].matchFields[0].key: Invalid value: "spec.x": not a valid field selector key: must be metadata.name`,
        `${term}[0].matchFields[0].operator: Invalid value: "Exists": not a valid selector operator: must be In or NotIn`,
        `${term}[0].matchFields[0].values: Required value: must be only one value when \`operator\` is 'In' or 'NotIn' for node field selector`,
      ],
    ],
    [
      'a pod term without a place',
      affinity({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }] } }),
      [
        'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
      ],
    ],
    [
      'places to count for a spread that is only a wish',
      {
        spec: {
          topologySpreadConstraints: [
            { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 },
          ],
        },
      },
      [
        "spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not 'ScheduleAnyway'",
      ],
    ],
  ]);
});
