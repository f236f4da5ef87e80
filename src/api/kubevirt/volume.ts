import { boolean, choice, list, object, quantity, required, string } from '#platform/schema/schema';
import { cloudInitConfigDrive, cloudInitNoCloud } from './cloud-init.ts';
import { MAX_DEVICES } from './disk.ts';
import { kubevirtObject } from './upstream.ts';

const objectName = (description: string) => string(description, { minLength: 1, maxLength: 253 });
const hotpluggable = boolean('The volume was added to a running machine and may be taken away again.');
const optional = (what: string) => boolean(`The machine starts without the ${what} when it does not exist.`);
const volumeLabel = string('Label of the file system that the guest sees.', { maxLength: 32 });

const volume = kubevirtObject('Volume', 'Where the contents of a disk come from: exactly one source.', {
  name: required(string('Name of the volume, by which a disk refers to it.', { minLength: 1, maxLength: 253 })),
  persistentVolumeClaim: object('A PersistentVolumeClaim: what the guest writes stays.', {
    claimName: required(objectName('Name of the claim, in the namespace of the machine.')),
    readOnly: boolean('The claim is mounted for reading only.'),
    hotpluggable,
  }),
  dataVolume: object('The PersistentVolumeClaim that a DataVolume of this name fills.', {
    name: required(objectName('Name of the DataVolume, in the namespace of the machine.')),
    hotpluggable,
  }),
  containerDisk: object('A disk image out of a container image: what the guest writes is lost at the end.', {
    image: required(string('Container image that holds the disk.', { minLength: 1 })),
    path: string('Path of the disk in the image; the only file under /disk when left out.'),
    imagePullPolicy: choice(
      'When the image is pulled; Always for tag latest or none, else IfNotPresent, when left out.',
      ['Always', 'IfNotPresent', 'Never'],
    ),
    imagePullSecret: string('Secret with the credentials of the registry.', { maxLength: 253 }),
  }),
  cloudInitNoCloud,
  cloudInitConfigDrive,
  emptyDisk: object('An empty disk that lives as long as the machine runs.', {
    capacity: required(quantity('Size of the disk.')),
  }),
  configMap: object('The entries of a ConfigMap as files.', {
    name: string('Name of the ConfigMap.', { maxLength: 253 }),
    optional: optional('ConfigMap'),
    volumeLabel,
  }),
  secret: object('The entries of a Secret as files.', {
    secretName: string('Name of the Secret.', { maxLength: 253 }),
    optional: optional('Secret'),
    volumeLabel,
  }),
  hostDisk: object('A disk image in a file of the node.', {
    path: required(string('Path of the file on the node.', { minLength: 1 })),
    type: required(
      choice('Disk: the file exists. DiskOrCreate: it is made, with the given capacity, where it does not.', [
        'Disk',
        'DiskOrCreate',
      ]),
    ),
    capacity: quantity('Size of the file that is made.'),
    shared: boolean('The path is the same storage on every node.'),
  }),
});

export const volumes = list('Volumes that disks refer to by name.', volume, {
  keys: ['name'],
  maxItems: MAX_DEVICES,
});
