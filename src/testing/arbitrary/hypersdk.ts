import fc from 'fast-check';
import type { Draw } from './draw.ts';
import { atMostOne, type FieldHints, type HintedPart, joinHints, together } from './field-hints.ts';
import { placement } from './placement.ts';
import {
  amount,
  annotations,
  bytes,
  containerImageText,
  duration,
  gibibytes,
  label,
  labels,
  labelText,
  mac,
  qualifiedName,
  s3Text,
  subdomain,
  urlText,
} from './values.ts';

const imageSource = {
  good: fc.oneof(
    urlText,
    s3Text,
    containerImageText,
    containerImageText.map((name) => `docker://${name}`),
  ),
  bad: ['ftp://host/disk', 'https://', 's3://bucket', 'Two Words', 'docker://Upper/Case'],
};

const DIGITS = { md5: 32, sha256: 64, sha512: 128 } as const;
const digestText = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 128, maxLength: 128 });

function checksum(part: HintedPart, draw: Draw): void {
  if (part['type'] === undefined && part['value'] === undefined) return;
  part['type'] ??= draw.one(['md5', 'sha256', 'sha512']);
  part['value'] = draw.of(digestText).slice(0, DIGITS[part['type'] as keyof typeof DIGITS]);
}

const noWholeDigest = ['', 'abc', 'g'.repeat(64), 'a'.repeat(31)];

/** Returns the hints for the spec of a VM, wherever it occurs. */
function machine(): FieldHints {
  return joinHints(placement, {
    fields: {
      memory: { good: gibibytes, bad: ['0Gi', '1.5Gi', '4G', '4'] },
      'disks[].name': label,
      'disks[].size': bytes,
      'disks[].storageClass': subdomain,
      'source.pvc': subdomain,
      'source.http': { good: urlText, bad: ['ftp://host/a', 'https:///a', 'host/a'] },
      'source.s3': { good: s3Text, bad: ['s3://bucket', 's3://B_B/key', 'https://host/a'] },
      'source.containerDisk': { good: containerImageText, bad: ['Upper/Case', 'two words', 'a:b:c'] },
      'networks[].name': label,
      'networks[].multusNetworkName': {
        good: fc.oneof(
          labelText,
          fc.tuple(labelText, labelText).map((parts) => parts.join('/')),
        ),
        bad: ['a/b/c', '/a', 'a/', 'Upper'],
      },
      'networks[].ports[].name': { good: fc.constantFrom('ssh', 'http'), bad: ['Upper', 'a_b', '-a'] },
      'networks[].macAddress': mac,
      'image.source': imageSource,
      'templateRef.name': subdomain,
      'templateRef.namespace': label,
      'checksum.value': { good: digestText, bad: noWholeDigest },
      'secretRef.name': subdomain,
      'carbonAware.zone': { good: fc.constantFrom('DE', 'US-CAL-CISO', 'GB-NIR'), bad: ['de', 'Germany', 'D', 'DE-'] },
      maxDelay: duration,
      restartDelay: duration,
      'gpus[].name': label,
      resourceName: qualifiedName,
      'usbDevices[].name': label,
      'spec.labels': labels,
      'spec.annotations': annotations,
      'defaultSpec.labels': labels,
      'defaultSpec.annotations': annotations,
    },
    repairs: {
      '.spec': secureBoot,
      defaultSpec: secureBoot,
      disks: bootOrders,
      'disks[].source': atMostOne('pvc', 'http', 's3', 'containerDisk'),
      networks: networkRepair,
      image: atMostOne('source', 'templateRef'),
      checksum,
      cloudInit: (part: HintedPart) => {
        const inline = Object.keys(part)[0] !== 'secretRef';
        for (const name of inline ? ['secretRef'] : ['userData', 'networkData']) delete part[name];
      },
      firmware: (part: HintedPart) => {
        if (part['secureBoot'] === true) part['bootloader'] = 'uefi';
      },
      gpus: (gpus: HintedPart[]) => {
        for (const [i, gpu] of gpus.entries()) if (gpu['name'] !== undefined) gpu['name'] = `gpu-${i}`;
      },
      'gpus[]': (gpu: HintedPart) => {
        if (gpu['virtualGPU'] === true) delete gpu['passthrough'];
      },
      'usbDevices[]': (device: HintedPart, draw) => {
        usbIds(device, draw);
        if (device['vendorId'] === undefined) device['resourceName'] ??= 'example.com/stick';
      },
    },
  });
}

function secureBoot(spec: HintedPart): void {
  const firmware = spec['firmware'] as HintedPart | undefined;
  if (firmware?.['secureBoot'] === true && spec['machineType'] === 'pc') spec['machineType'] = 'q35';
}

const usbIds = together({ vendorId: fc.constantFrom('046d', 'ABCD'), productId: fc.constantFrom('c52b', '0001') });

function bootOrders(disks: HintedPart[]): void {
  for (const [i, disk] of disks.entries()) if (disk['bootOrder'] !== undefined) disk['bootOrder'] = i + 1;
}

/** Leaves at most one network on the pod network, which is the default type, and makes ports unique. */
function networkRepair(networks: HintedPart[], draw: Draw): void {
  let taken = false;
  for (const [i, network] of networks.entries()) {
    const onPods = network['type'] === 'pod-network' || network['type'] === undefined;
    if (onPods && taken) network['type'] = draw.one(['bridge', 'multus']);
    taken ||= onPods;
    for (const [at, port] of ((network['ports'] ?? []) as HintedPart[]).entries()) {
      port['port'] = 1000 + at;
      if (port['name'] !== undefined && at > 0) port['name'] = `p-${at}`;
    }
    if (network['type'] === 'multus') network['multusNetworkName'] ??= 'vlan-7';
    if (network['macAddress'] !== undefined && i > 0) network['macAddress'] = `02:00:00:00:00:0${i}`;
  }
}

const vmRef: FieldHints = { fields: { 'vmRef.name': subdomain, 'vmRef.namespace': label } };

export const hypersdkVirtualMachine = machine();

export const vmTemplate = joinHints(machine(), {
  fields: {
    '.spec.version': {
      good: fc.constantFrom('1.0.0', '0.3.12-rc.1', '2.0.0+build.5', '10.20.30-alpha-1.x'),
      bad: ['', '1.0', 'v1.0.0', '1.0.0-', '01.0.0'],
    },
    'requiredFeatures[]': { good: labelText, bad: ['two words', '-kvm', 'a/b'] },
    'image.size': amount,
    minMemory: bytes,
    minDiskSize: bytes,
  },
});

export const vmOperation = joinHints(vmRef, {
  fields: {
    '.spec.timeout': duration,
    'cloneSpec.targetName': { good: labelText.map((text) => `new-${text}`), bad: label.bad ?? [] },
    'cloneSpec.targetNamespace': label,
    'cloneSpec.snapshotRef': subdomain,
    'migrateSpec.targetNode': subdomain,
    'migrateSpec.bandwidth': {
      good: fc.tuple(fc.integer({ min: 1 }), fc.constantFrom('bps', 'Kbps', 'Mbps', 'Gbps')).map((all) => all.join('')),
      bad: ['0bps', '000Mbps', '1Tbps', 'fast'],
    },
    'resizeSpec.memory': { good: gibibytes, bad: ['0Gi', '4G'] },
    'snapshotSpec.name': subdomain,
    'restoreSpec.snapshotName': subdomain,
  },
  repairs: {
    '.spec': (spec: HintedPart) => {
      const { operation } = spec;
      if (operation === 'clone') spec['cloneSpec'] = { targetName: 'copy-2', ...(spec['cloneSpec'] as HintedPart) };
      if (operation === 'resize') spec['resizeSpec'] = { cpus: 2, ...(spec['resizeSpec'] as HintedPart) };
      if (operation === 'restore')
        spec['restoreSpec'] = { snapshotName: 'before', ...(spec['restoreSpec'] as HintedPart) };
    },
    '.spec.vmRef': (ref: HintedPart) => {
      ref['name'] = `vm-${String(ref['name'])}`;
    },
  },
});

export const vmSnapshot = joinHints(vmRef, {
  fields: {
    'destination.storageClass': subdomain,
    'destination.location': {
      good: fc.oneof(s3Text, fc.constantFrom('local:///var/snapshots', 's3://bucket')),
      bad: ['/var/snapshots', 's3://', 'local://relative', 'nfs://host/path'],
    },
  },
});
