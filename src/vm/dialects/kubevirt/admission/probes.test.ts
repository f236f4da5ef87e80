import { describe, expect, test } from 'vitest';
import { tryVm, type VmCase, type VmSpecOptions } from '#testing/vm-trial';

const cases = (rows: readonly VmCase[]) =>
  test.each(rows)('%s', (_, parts, causes) => expect(tryVm(parts).causes).toEqual(causes));

describe('probes', () => {
  const ready = (readinessProbe: object, spec: object = {}): VmSpecOptions => ({ spec: { readinessProbe, ...spec } });
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
  const credential = (accessCredential: object): VmSpecOptions => ({ spec: { accessCredentials: [accessCredential] } });
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
