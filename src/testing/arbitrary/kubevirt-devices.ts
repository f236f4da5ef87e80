import type { Draw } from './draw.ts';
import type { HintedPart } from './field-hints.ts';

/** Makes the devices of a VM and what they are attached to refer to each other. */
export function devicesAgree(spec: HintedPart, draw: Draw): void {
  const devices = (spec['domain'] as HintedPart)['devices'] as HintedPart;
  credentialVolumes(spec);
  disksAndVolumes(spec, devices, draw);
  cardsAndNetworks(spec, devices, draw);
  bootOrder(devices);
  probesReach(spec, devices);
  if (spec['livenessProbe'] !== undefined) delete spec['startStrategy'];
}

function listIn(holder: HintedPart, name: string): HintedPart[] {
  return (holder[name] ?? []) as HintedPart[];
}

/** Adds a cloud-init volume for keys that are propagated by cloud-init. */
function credentialVolumes(spec: HintedPart): void {
  const volumes = listIn(spec, 'volumes');
  for (const credential of listIn(spec, 'accessCredentials')) {
    const method = ((credential['sshPublicKey'] as HintedPart | undefined)?.['propagationMethod'] ?? {}) as HintedPart;
    for (const [name, source] of [
      ['noCloud', 'cloudInitNoCloud'],
      ['configDrive', 'cloudInitConfigDrive'],
    ] as const) {
      if (method[name] === undefined || volumes.some((volume) => volume[source] !== undefined)) continue;
      volumes.push({ name: `${source.toLowerCase()}-seed`, [source]: { userData: '#cloud-config' } });
      spec['volumes'] = volumes;
    }
  }
}

function disksAndVolumes(spec: HintedPart, devices: HintedPart, draw: Draw): void {
  const disks = listIn(devices, 'disks');
  const volumes = listIn(spec, 'volumes');
  const has = (name: unknown) => volumes.some((volume) => volume['name'] === name);
  for (const disk of disks) {
    if (disk['volumeName'] !== undefined) disk['volumeName'] = volumes[0]?.['name'] ?? 'old-form';
    const emptyDrive = disk['cdrom'] !== undefined && disk['volumeName'] === undefined && draw.below(2) === 0;
    const shown = disk['volumeName'] ?? disk['name'];
    if (!emptyDrive && !has(shown)) volumes.push({ name: shown, emptyDisk: { capacity: '1Gi' } });
  }
  const shown = new Set(disks.map((disk) => disk['volumeName'] ?? disk['name']));
  const free = (name: unknown) => !disks.some((disk) => disk['name'] === name);
  for (const { name } of volumes) {
    if (shown.has(name)) continue;
    disks.push(free(name) ? { name, disk: { bus: 'virtio' } } : { name: `d${disks.length}-x`, volumeName: name });
  }
  if (disks.length > 0) devices['disks'] = disks;
  if (volumes.length > 0) spec['volumes'] = volumes;
}

function cardsAndNetworks(spec: HintedPart, devices: HintedPart, draw: Draw): void {
  const cards = listIn(devices, 'interfaces');
  const networks = listIn(spec, 'networks');
  for (const { name } of cards) {
    if (!networks.some((network) => network['name'] === name)) networks.push({ name, pod: {} });
  }
  let first = false;
  for (const network of networks) {
    const multus = network['multus'] as HintedPart | undefined;
    const wantsFirst = network['pod'] !== undefined || multus?.['default'] === true;
    if (wantsFirst && first) {
      delete network['pod'];
      network['multus'] = { networkName: draw.one(['vlan-7', 'team/vlan-8']) };
    }
    first ||= wantsFirst;
    if (!cards.some((card) => card['name'] === network['name'])) cards.push({ name: network['name'] });
  }
  for (const [i, card] of cards.entries()) {
    const network = networks.find(({ name }) => name === card['name']);
    const multus = network?.['multus'] as HintedPart | undefined;
    if (card['masquerade'] !== undefined && multus !== undefined && multus['default'] !== true) {
      delete card['masquerade'];
      card['bridge'] = {};
    }
    if (card['macAddress'] !== undefined && i > 0) card['macAddress'] = `02:00:00:00:00:0${i}`;
  }
  if (cards.length > 0) devices['interfaces'] = cards;
  if (networks.length > 0) spec['networks'] = networks;
}

function bootOrder(devices: HintedPart): void {
  let place = 0;
  for (const device of [...listIn(devices, 'disks'), ...listIn(devices, 'interfaces')]) {
    if (device['bootOrder'] !== undefined) device['bootOrder'] = ++place;
  }
}

/** Replaces probes over the network if no network leads to the guest. */
function probesReach(spec: HintedPart, devices: HintedPart): void {
  const networks = listIn(spec, 'networks');
  if (networks.length === 0) {
    if (devices['autoattachPodInterface'] === false) delete devices['autoattachPodInterface'];
    return;
  }
  if (networks.some(({ pod, multus }) => pod !== undefined || (multus as HintedPart | undefined)?.['default'] === true))
    return;
  for (const probe of [spec['livenessProbe'], spec['readinessProbe']] as (HintedPart | undefined)[]) {
    if (probe?.['httpGet'] === undefined && probe?.['tcpSocket'] === undefined) continue;
    delete probe['httpGet'];
    delete probe['tcpSocket'];
    probe['guestAgentPing'] = {};
  }
}
