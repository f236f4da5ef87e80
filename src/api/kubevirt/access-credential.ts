import { list, object, requiredField, string } from '#platform/schema/schema';

const source = requiredField(
  object('Source of the credential.', {
    secret: object('A Secret in the namespace of the VM.', {
      secretName: requiredField(string('Name of the Secret.', { minLength: 1, maxLength: 253 })),
    }),
  }),
);

const accessCredential = object('Exactly one credential.', {
  sshPublicKey: object('Public SSH keys; each value of the Secret contains keys.', {
    source,
    propagationMethod: requiredField(
      object('How the keys reach the guest. Exactly one must be set.', {
        noCloud: object('Through the cloud-init NoCloud volume, at the first start.', {}),
        configDrive: object('Through the cloud-init config drive volume, at the first start.', {}),
        qemuGuestAgent: object('Through the guest agent, while the VM runs.', {
          users: requiredField(list('Users of the guest that get the keys.', string('A user name.'), { type: 'set' })),
        }),
      }),
    ),
  }),
  userPassword: object('Passwords of users; each key of the Secret is a user, its value the password.', {
    source,
    propagationMethod: requiredField(
      object('How the passwords reach the guest.', {
        qemuGuestAgent: object('Through the guest agent, while the VM runs.', {}),
      }),
    ),
  }),
});

export const accessCredentials = list('Keys and passwords for users of the guest.', accessCredential, {
  maxItems: 256,
});
