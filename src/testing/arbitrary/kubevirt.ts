import fc from 'fast-check';
import { atMostOne, exactlyOne, type FieldHints, type HintedPart, joinHints } from './field-hints.ts';
import { devicesAgree } from './kubevirt-devices.ts';
import { placement } from './placement.ts';
import { amount, annotations, gibibytes, label, labels, labelText, mac, subdomain, uuid } from './values.ts';

const SOURCES = [
  'persistentVolumeClaim dataVolume containerDisk cloudInitNoCloud cloudInitConfigDrive emptyDisk configMap secret',
  'hostDisk containerPath downwardAPI downwardMetrics ephemeral memoryDump serviceAccount sysprep',
]
  .join(' ')
  .split(' ');
const BINDINGS = ['bridge', 'masquerade', 'sriov', 'binding', 'passtBinding', 'slirp', 'macvtap', 'passt'];
const HANDLERS = ['httpGet', 'tcpSocket', 'exec', 'guestAgentPing'];

const path = {
  good: fc.constantFrom('/disk/image.qcow2', '/a', '/var/lib/images/disk.img/'),
  bad: ['disk.img', '/', '/a/../b', '/a//b', './a'],
};
const port = {
  good: fc.oneof(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom('http', 'p-80')),
  bad: [0, 65_536, '80', 'Upper', '', 'a-name-of-sixteen'],
};
const networkName = { good: fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/), bad: ['two words', 'dot.ted', 'ümlaut'] };
const requests = fc.record(
  { memory: gibibytes, cpu: fc.constantFrom('500m', '2', 4), 'example.com/widget': fc.constantFrom('1', 2) },
  { requiredKeys: [] },
);
const limits = fc.record(
  { memory: fc.constantFrom('64Gi', '1Ti'), cpu: fc.constantFrom('4', 8), 'example.com/widget': fc.constant('2') },
  { requiredKeys: [] },
);
const base64 = fc.base64String({ maxLength: 40 });

/** Hints for an instance spec, wherever it occurs. */
const instance: FieldHints = joinHints(placement, {
  fields: {
    hostname: label,
    subdomain,
    'disks[].name': label,
    'volumes[].name': label,
    'interfaces[].name': networkName,
    'networks[].name': networkName,
    macAddress: mac,
    vmNetworkCIDR: { good: fc.constantFrom('10.0.2.0/24', '192.0.2.0/28'), bad: ['10.0.2.0', 'fd00::/64', 'any'] },
    vmIPv6NetworkCIDR: { good: fc.constantFrom('fd10:0:2::/120'), bad: ['10.0.2.0/24', 'fd00::', 'any'] },
    networkName: { good: fc.oneof(labelText, fc.constant('team/vlan-7')), bad: ['a/b/c', '/a', 'a/'] },
    'containerDisk.path': path,
    'hostDisk.path': path,
    capacity: amount,
    userData: { good: fc.string({ maxLength: 40 }), bad: ['x'.repeat(2049), 'ü'.repeat(1100)] },
    networkData: { good: fc.string({ maxLength: 40 }), bad: ['x'.repeat(2049)] },
    userDataBase64: { good: base64, bad: ['a', '====', 'ab c'] },
    networkDataBase64: { good: base64, bad: ['a', '====', 'ab c'] },
    'volumes[].configMap.name': { good: labelText, bad: [''] },
    'volumes[].secret.secretName': { good: labelText, bad: [''] },
    'sysprep.configMap.name': { good: labelText, bad: [''] },
    'sysprep.secret.name': { good: labelText, bad: [''] },
    'firmware.uuid': uuid,
    'clock.timezone': { good: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata'), bad: ['', 'Mars', 'UTC+1 '] },
    'domain.resources.requests': { good: requests },
    'domain.resources.limits': { good: limits },
    'memory.guest': { good: gibibytes, bad: ['0', '-1Gi', 'much'] },
    'memory.maxGuest': { good: fc.constantFrom('64Gi', '1Ti'), bad: ['0', '-1Gi', 'much'] },
    'hugepages.pageSize': { good: fc.constantFrom('2Mi', '1Gi'), bad: ['', '0', 'large'] },
    'httpGet.port': port,
    'tcpSocket.port': port,
    'gpus[].deviceName': { good: labelText },
  },
  repairs: {
    'disks[]': (disk: HintedPart) => {
      oneTarget(disk);
      const hardDisk = disk['disk'] as HintedPart | undefined;
      if (hardDisk?.['bus'] === 'sata') delete hardDisk['readonly'];
    },
    'volumes[]': exactlyOne(SOURCES, { containerDisk: { image: 'registry.example.com/disk:1' } }),
    cloudInitNoCloud: cloudInit,
    cloudInitConfigDrive: cloudInit,
    'volumes[].configMap': (source: HintedPart) => {
      source['name'] ??= 'settings';
    },
    'volumes[].secret': (source: HintedPart) => {
      source['secretName'] ??= 'keys';
    },
    sysprep: exactlyOne(['configMap', 'secret'], { configMap: { name: 'answers' } }),
    hostDisk: (source: HintedPart) => {
      if (source['capacity'] !== undefined) source['type'] = 'DiskOrCreate';
    },
    'interfaces[]': atMostOne(...BINDINGS),
    ports: (ports: HintedPart[]) => {
      for (const [i, each] of ports.entries()) if (each['name'] !== undefined) each['name'] = `port-${i}`;
    },
    'networks[]': exactlyOne(['pod', 'multus', 'resourceClaim'], { pod: {} }),
    gpus: (gpus: HintedPart[]) => {
      for (const [i, gpu] of gpus.entries()) gpu['name'] = `gpu-${i}`;
    },
    'gpus[]': (gpu: HintedPart) => {
      if (gpu['claimName'] === undefined) gpu['deviceName'] ??= 'example.com/card';
    },
    'domain.cpu': (cpu: HintedPart) => {
      const { sockets, maxSockets } = cpu;
      if (sockets !== undefined && Number(maxSockets) < Number(sockets)) cpu['maxSockets'] = sockets;
    },
    bootloader: atMostOne('bios', 'efi'),
    domain: (domain: HintedPart, draw) => {
      const { efi } = ((domain['firmware'] as HintedPart | undefined)?.['bootloader'] ?? {}) as { efi?: HintedPart };
      if (efi === undefined || efi['secureBoot'] === false) return;
      if (draw.below(2) === 0) efi['secureBoot'] = false;
      else domain['features'] = { ...(domain['features'] as HintedPart), smm: {} };
    },
    livenessProbe: (probe: HintedPart) => {
      oneHandler(probe);
      if (probe['successThreshold'] !== undefined) probe['successThreshold'] = 1;
    },
    readinessProbe: (probe: HintedPart) => {
      oneHandler(probe);
    },
    'exec.command': (command: string[]) => {
      if (command.length === 0) command.push('true');
    },
    'livenessProbe.exec': command,
    'readinessProbe.exec': command,
    'accessCredentials[]': exactlyOne(['sshPublicKey', 'userPassword'], {
      userPassword: { source: { secret: { secretName: 'keys' } }, propagationMethod: { qemuGuestAgent: {} } },
    }),
    'sshPublicKey.propagationMethod': exactlyOne(['noCloud', 'configDrive', 'qemuGuestAgent'], {
      qemuGuestAgent: { users: ['root'] },
    }),
    'sshPublicKey.propagationMethod.qemuGuestAgent': (method: HintedPart) => {
      const users = method['users'] as string[];
      if (users.length === 0) users.push('root');
    },
    'userPassword.propagationMethod': (method: HintedPart) => {
      method['qemuGuestAgent'] ??= {};
    },
    'sshPublicKey.source': secretSource,
    'userPassword.source': secretSource,
  },
});

const oneTarget = atMostOne('disk', 'cdrom', 'lun');
const oneHandler = exactlyOne(HANDLERS, { guestAgentPing: {} });

function command(exec: HintedPart): void {
  exec['command'] ??= ['true'];
}

function secretSource(source: HintedPart): void {
  source['secret'] ??= { secretName: 'keys' };
}

const oneUserForm = atMostOne('userData', 'userDataBase64', 'secretRef');
const oneNetworkForm = atMostOne('networkData', 'networkDataBase64', 'networkDataSecretRef');
const SAYING: Readonly<HintedPart> = {
  userData: '#cloud-config',
  userDataBase64: 'I2Nsb3VkLWNvbmZpZw==',
  secretRef: { name: 'user-data' },
  networkData: 'version: 2',
  networkDataBase64: 'dmVyc2lvbjogMg==',
  networkDataSecretRef: { name: 'network-data' },
};

/** Leaves each kind of data in one form, and at least one that is not empty. */
function cloudInit(source: HintedPart): void {
  oneUserForm(source);
  oneNetworkForm(source);
  const [form = 'userData'] = Object.keys(source);
  source[form] = structuredClone(SAYING[form]);
}

export const virtualMachineInstance = joinHints(instance, {
  repairs: {
    '.spec': (spec: HintedPart, draw) => {
      devicesAgree(spec, draw);
      const domain = spec['domain'] as HintedPart;
      domain['memory'] = { guest: '2Gi', ...(domain['memory'] as HintedPart) };
    },
  },
});

export const kubevirtVirtualMachine = joinHints(instance, {
  fields: { 'template.metadata.labels': labels, 'template.metadata.annotations': annotations },
  repairs: {
    '.spec': exactlyOne(['running', 'runStrategy'], { running: true }),
    'template.spec': devicesAgree,
  },
  never: { '.spec.instancetype': true, '.spec.preference': true, '.spec.dataVolumeTemplates': true },
});

export const virtualMachineInstanceMigration: FieldHints = { fields: { addedNodeSelector: labels } };
