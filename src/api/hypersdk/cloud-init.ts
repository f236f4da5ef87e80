import { object, requiredField, string } from '#platform/schema/schema';

/** Admission counts bytes and names the limit; these lengths only keep the schema bounded. */
const MAX_TEXT = 1_048_576;

const userData = string('User data as text, usually starting with #cloud-config; at most 64 KiB.', {
  maxLength: MAX_TEXT,
});
const networkData = string('Network configuration (version 1 or 2) as text; at most 64 KiB.', { maxLength: MAX_TEXT });

export const cloudInit = object(
  'First-boot configuration that the guest reads from a NoCloud drive.',
  {
    userData,
    networkData,
    secretRef: object('Secret with the keys userdata and networkdata, for configuration that contains credentials.', {
      name: requiredField(string('Name of a Secret in the same namespace.', { minLength: 1, maxLength: 253 })),
    }),
  },
  {
    rules: [
      {
        rule: '!(has(self.secretRef) && (has(self.userData) || has(self.networkData)))',
        message: 'cloud-init is either inline (userData, networkData) or from secretRef, not both',
      },
    ],
  },
);

export const cloudInitDefaults = object('Cloud-init configuration for VMs that have none of their own.', {
  defaultUserData: userData,
  defaultNetworkData: networkData,
});
