import { object, string } from '#platform/schema/schema';

const secret = (description: string) =>
  object(
    description,
    { name: string('Name of the Secret, in the namespace of the VM.', { maxLength: 253 }) },
    { mapType: 'atomic' },
  );

/** NoCloud and ConfigDrive have the same data in different layouts. */
const cloudInit = (description: string) =>
  object(description, {
    userData: string('User data as text, at most 2048 bytes; a Secret holds more.'),
    userDataBase64: string('User data in base64.'),
    secretRef: secret('Secret whose key userdata (or userData) holds the user data.'),
    networkData: string('Network data as text, at most 2048 bytes; a Secret holds more.'),
    networkDataBase64: string('Network data in base64.'),
    networkDataSecretRef: secret('Secret whose key networkdata (or networkData) holds the network data.'),
  });

export const cloudInitNoCloud = cloudInit('Data for cloud-init as a NoCloud disk. Give user data in one form only.');
export const cloudInitConfigDrive = cloudInit(
  'Data for cloud-init as an OpenStack config drive. Give user data in one form only.',
);
