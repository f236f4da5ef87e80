import { describe, expect, it } from 'vitest';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import type { SeedContents } from './seed-contents.ts';
import { seedOf } from './seed-files.ts';

const STORED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Secret/both': { userData: 'user', networkdata: 'net' },
  'Secret/user': { userdata: 'only user' },
  'Secret/keys': { b: 'ssh-ed25519 B\n\nssh-rsa C me\n', a: '# comment\nssh-ed25519 A' },
  'Secret/more': { a: 'ssh-ed25519 A\r\nssh-ed25519 D' },
  'ConfigMap/answers': { 'unattend.xml': '<x/>' },
};
const contents: SeedContents = {
  entriesOf: (kind, name) =>
    Object.fromEntries(Object.entries(STORED[`${kind}/${name}`] ?? {}).map(([key, text]) => [key, Buffer.from(text)])),
};
const keysOf = (secretName: string, method: string) => ({
  sshPublicKey: { source: { secret: { secretName } }, propagationMethod: { [method]: {} } },
});
const spec = { name: 'web', namespace: 'shop', firmware: { uuid: 'u-1' } } as unknown as MachineSpec;

function seed(volume: object, change: object = {}): { label: string | undefined; files: Record<string, string> } {
  const found = seedOf({ volume: { name: 'v', ...volume } } as MachineDisk, { ...spec, ...change }, contents);
  const files = Object.entries(found?.files ?? {}).map(([name, data]) => [name, Buffer.from(data).toString()]);
  return { label: found?.label, files: Object.fromEntries(files) as Record<string, string> };
}

const META = '{"instance-id":"web.shop","local-hostname":"web"}\n';

describe('a NoCloud seed', () => {
  it.each([
    ['text', { userData: 'x' }, { 'user-data': 'x' }],
    ['base64', { userDataBase64: 'eA==' }, { 'user-data': 'x' }],
    ['a Secret', { secretRef: { name: 'user' } }, { 'user-data': 'only user' }],
    ['network data alone', { networkData: 'n' }, { 'user-data': '#cloud-config\n', 'network-config': 'n' }],
    [
      'network data in base64',
      { userData: 'x', networkDataBase64: 'bg==' },
      { 'user-data': 'x', 'network-config': 'n' },
    ],
    [
      'one Secret with both',
      { secretRef: { name: 'both' }, networkDataSecretRef: { name: 'both' } },
      { 'user-data': 'user', 'network-config': 'net' },
    ],
    [
      'one Secret that could have both',
      { secretRef: { name: 'user' }, networkDataSecretRef: { name: 'user' } },
      { 'user-data': 'only user' },
    ],
  ])('has user data and network data from %s', (_what, cloudInitNoCloud, files) => {
    expect(seed({ cloudInitNoCloud })).toEqual({ label: 'cidata', files: { 'meta-data': META, ...files } });
  });

  it('has the requested host name, and the keys of this method, each once and in order', () => {
    const accessCredentials = [keysOf('keys', 'noCloud'), keysOf('more', 'noCloud'), keysOf('user', 'configDrive')];
    const { files } = seed({ cloudInitNoCloud: { userData: 'x' } }, { hostname: 'front', accessCredentials });
    expect(JSON.parse(files['meta-data'] ?? '')).toEqual({
      'instance-id': 'web.shop',
      'local-hostname': 'front',
      'public-keys': { 0: 'ssh-ed25519 A', 1: 'ssh-ed25519 B', 2: 'ssh-rsa C me', 3: 'ssh-ed25519 D' },
    });
  });
});

describe('a ConfigDrive seed', () => {
  it('has the layout of OpenStack', () => {
    const accessCredentials = [keysOf('more', 'configDrive')];
    const source = { secretRef: { name: 'both' }, networkDataSecretRef: { name: 'both' } };
    const { label, files } = seed({ cloudInitConfigDrive: source }, { accessCredentials });
    expect(label).toBe('config-2');
    expect(files).toEqual({
      'openstack/latest/meta_data.json': expect.any(String),
      'openstack/latest/user_data': 'user',
      'openstack/latest/network_data.json': 'net',
    });
    expect(JSON.parse(files['openstack/latest/meta_data.json'] ?? '')).toEqual({
      uuid: 'u-1',
      instance_id: 'web.shop',
      hostname: 'web',
      local_hostname: 'web',
      public_keys: { 0: 'ssh-ed25519 A', 1: 'ssh-ed25519 D' },
    });
  });
});

describe('a seed of files', () => {
  it.each([
    ['sysprep', { sysprep: { configMap: { name: 'answers' } } }, 'unattendCD', ['unattend.xml']],
    ['a ConfigMap', { configMap: { name: 'answers' } }, 'cfgdata', ['unattend.xml']],
    ['a Secret', { secret: { secretName: 'both', volumeLabel: 'mine' } }, 'mine', ['userData', 'networkdata']],
    ['a missing optional ConfigMap', { configMap: { name: 'none', optional: true } }, 'cfgdata', []],
    ['none', { emptyDisk: { capacity: '1Gi' } }, undefined, []],
  ])('has the label and files of %s', (_what, volume, label, names) => {
    const found = seed(volume);
    expect([found.label, Object.keys(found.files)]).toEqual([label, names]);
  });
});
