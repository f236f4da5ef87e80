import { describe, expect, test } from 'vitest';
import { diskImage, rootDisk, rootVolume, tryVm, type VmCase, type VmSpecOptions } from '#testing/vm-trial';

const cases = (rows: readonly VmCase[]) =>
  test.each(rows)('%s', (_, parts, causes) => expect(tryVm(parts).causes).toEqual(causes));

describe('volumes', () => {
  const second = (source: object): VmSpecOptions => ({
    devices: { disks: [rootDisk, { name: 'second' }] },
    spec: { volumes: [rootVolume, { name: 'second', ...source }] },
  });
  const at = 'spec.volumes[1]';
  cases([
    ['no source', second({}), [`${at}: Required value: must have exactly one source type set`]],
    [
      'two sources',
      second({ emptyDisk: { capacity: '1Gi' }, containerDisk: diskImage }),
      [`${at}: Invalid value: "emptyDisk, containerDisk": must have exactly one source type set`],
    ],
    [
      'a volume that nothing shows',
      { spec: { volumes: [rootVolume, { name: 'lost', emptyDisk: { capacity: '1Gi' } }] } },
      [`${at}.name: Invalid value: "lost": no disk or filesystem has this name`],
    ],
    [
      'a shared file system shows its volume',
      {
        devices: { filesystems: [{ name: 'shared', virtiofs: {} }] },
        spec: { volumes: [rootVolume, { name: 'shared', persistentVolumeClaim: { claimName: 'shared' } }] },
      },
      [],
    ],
    [
      'a memory dump is not shown',
      { spec: { volumes: [rootVolume, { name: 'dump', memoryDump: { claimName: 'dump' } }] } },
      [],
    ],
    [
      'an empty disk of no size',
      second({ emptyDisk: { capacity: '0' } }),
      [`${at}.emptyDisk.capacity: Invalid value: "0": must be greater than zero`],
    ],
    [
      'a relative path in a container diskImage',
      second({ containerDisk: { ...diskImage, path: '/disk/../etc/passwd' } }),
      [
        `${at}.containerDisk.path: Invalid value: "/disk/../etc/passwd": must be an absolute path to a file without relative components`,
      ],
    ],
    ['an absolute path', second({ containerDisk: { ...diskImage, path: '/disk/root.qcow2' } }), []],
    [
      'sysprep without a source',
      second({ sysprep: {} }),
      [`${at}.sysprep: Required value: must have exactly one source set: configMap or secret`],
    ],
    [
      'sysprep with two sources',
      second({ sysprep: { configMap: { name: 'a' }, secret: { name: 'b' } } }),
      [`${at}.sysprep: Invalid value: "configMap, secret": must have exactly one source set: configMap or secret`],
    ],
    ['a ConfigMap without a name', second({ configMap: {} }), [`${at}.configMap.name: Required value`]],
    ['a Secret without a name', second({ secret: {} }), [`${at}.secret.secretName: Required value`]],
    [
      'a size for a host disk that exists',
      second({ hostDisk: { path: '/data/x.img', type: 'Disk', capacity: '1Gi' } }),
      [`${at}.hostDisk.capacity: Invalid value: "1Gi": is allowed to pass only with type equal to DiskOrCreate`],
    ],
  ]);

  describe.each(['cloudInitNoCloud', 'cloudInitConfigDrive'])('%s', (form) => {
    const seed = (source: object) => second({ [form]: source });
    cases([
      ['text', seed({ userData: '#cloud-config' }), []],
      ['network data alone', seed({ networkData: 'version: 2' }), []],
      ['base64 with line breaks', seed({ userDataBase64: 'I2Ns\nb3Vk' }), []],
      [
        'nothing',
        seed({ userData: '' }),
        [`${at}.${form}: Required value: must have at least one userdatasource or one networkdatasource set`],
      ],
      [
        'two forms of user data',
        seed({ userData: 'a', secretRef: { name: 's' } }),
        [`${at}.${form}: Invalid value: "userData, secretRef": must have only one userdatasource set`],
      ],
      [
        'two forms of network data',
        seed({ networkData: 'a', networkDataBase64: 'YQ==' }),
        [`${at}.${form}: Invalid value: "networkData, networkDataBase64": must have only one networkdata source set`],
      ],
      [
        'no base64',
        seed({ userDataBase64: 'a?' }),
        [`${at}.${form}.userDataBase64: Invalid value: "a?": must be base64`],
      ],
      ['as much text as KubeVirt takes', seed({ userData: 'x'.repeat(2048) }), []],
      [
        'more text than KubeVirt takes, counted in bytes',
        seed({ userData: 'ä'.repeat(1025) }),
        [`${at}.${form}.userData: Too long: may not be more than 2048 bytes`],
      ],
      ['as much base64', seed({ userDataBase64: Buffer.alloc(2048).toString('base64') }), []],
      [
        'more base64',
        seed({ userDataBase64: Buffer.alloc(2049).toString('base64') }),
        [`${at}.${form}.userDataBase64: Too long: may not be more than 2048 bytes`],
      ],
    ]);
  });
});
