import { list, object, required, string } from '#platform/schema/schema';

const source = required(
  object('Where the credential comes from.', {
    secret: object('A Secret in the namespace of the machine.', {
      secretName: required(string('Name of the Secret.', { minLength: 1, maxLength: 253 })),
    }),
  }),
);

const accessCredential = object('Exactly one credential.', {
  sshPublicKey: object('Public keys that may log in by SSH; each value of the Secret holds keys.', {
    source,
    propagationMethod: required(
      object('How the keys reach the guest: exactly one way.', {
        noCloud: object('By the cloud-init NoCloud volume, at the first start.', {}),
        configDrive: object('By the cloud-init config drive volume, at the first start.', {}),
        qemuGuestAgent: object('By the guest agent, while the machine runs.', {
          users: required(list('Users of the guest that get the keys.', string('A user name.'), { type: 'set' })),
        }),
      }),
    ),
  }),
  userPassword: object('Passwords of users; each key of the Secret is a user, its value the password.', {
    source,
    propagationMethod: required(
      object('How the passwords reach the guest.', {
        qemuGuestAgent: object('By the guest agent, while the machine runs.', {}),
      }),
    ),
  }),
});

export const accessCredentials = list('Keys and passwords that are given to users of the guest.', accessCredential, {
  maxItems: 256,
});
