import { boolean, choice, list, object, quantity, requiredField, string } from '#platform/schema/schema';
import { cloudInitConfigDrive, cloudInitNoCloud } from './cloud-init.ts';
import { MAX_DEVICES } from './disk.ts';
import { kubevirtObject } from './upstream.ts';

const objectName = (description: string) => string(description, { minLength: 1, maxLength: 253 });
const hotpluggable = boolean('The volume was hot-plugged and can be unplugged.');
const optional = (what: string) => boolean(`The VM starts without the ${what} when it does not exist.`);
const volumeLabel = string('Label of the file system that the guest sees.', { maxLength: 32 });

const volume = kubevirtObject('Volume', 'Source of a disk. Exactly one must be set.', {
  name: requiredField(string('Name of the volume, by which a disk refers to it.', { minLength: 1, maxLength: 253 })),
  persistentVolumeClaim: object('A PersistentVolumeClaim: writes of the guest persist.', {
    claimName: requiredField(objectName('Name of the claim, in the namespace of the VM.')),
    readOnly: boolean('The claim is mounted read-only.'),
    hotpluggable,
  }),
  dataVolume: object('The PersistentVolumeClaim that a DataVolume of this name populates.', {
    name: requiredField(objectName('Name of the DataVolume, in the namespace of the VM.')),
    hotpluggable,
  }),
  containerDisk: object('A disk image from a container image: writes of the guest are lost when it stops.', {
    image: requiredField(string('Container image with the disk.', { minLength: 1 })),
    path: string('Path of the disk in the image. Defaults to the only file under /disk.'),
    imagePullPolicy: choice(
      'When the image is pulled. Defaults to Always for tag latest or no tag, otherwise to IfNotPresent.',
      ['Always', 'IfNotPresent', 'Never'],
    ),
    imagePullSecret: string('Secret with the credentials of the registry.', { maxLength: 253 }),
  }),
  cloudInitNoCloud,
  cloudInitConfigDrive,
  emptyDisk: object('An empty disk that exists while the VM runs.', {
    capacity: requiredField(quantity('Size of the disk.')),
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
  sysprep: object('Answer files for the setup of Windows, on a CD-ROM. Exactly one source must be set.', {
    configMap: object('ConfigMap with the key autounattend.xml or unattend.xml, in any case.', {
      name: requiredField(objectName('Name of the ConfigMap, in the namespace of the VM.')),
    }),
    secret: object('Secret with the key autounattend.xml or unattend.xml, in any case.', {
      name: requiredField(objectName('Name of the Secret, in the namespace of the VM.')),
    }),
  }),
  hostDisk: object('A disk image in a file of the node.', {
    path: requiredField(string('Path of the file on the node.', { minLength: 1 })),
    type: requiredField(
      choice('Disk: the file exists. DiskOrCreate: it is created with the given capacity if missing.', [
        'Disk',
        'DiskOrCreate',
      ]),
    ),
    capacity: quantity('Size of a created file.'),
    shared: boolean('The path is the same storage on every node.'),
  }),
});

export const volumes = list('Volumes that disks refer to by name.', volume, {
  keys: ['name'],
  maxItems: MAX_DEVICES,
});
