import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { seededRandom } from '#platform/base/random';
import { runHyperctl } from '#testing/hyperctl';

const SUFFIX = seededRandom(1).suffix();
const call = (text: string) =>
  runHyperctl(['k8s', ...text.split(' ').filter((word) => word !== '')], { files: { 'init.yaml': '#cloud-config\n' } });
const group = { apiVersion: 'hypersdk.io/v1alpha1' };
const machine = (spec: object, metadata: object = { name: 'my-vm' }) => ({
  ...group,
  kind: 'VirtualMachine',
  metadata,
  spec,
});
const operation = (verb: string, spec: object = {}, metadata: object = {}) => ({
  ...group,
  kind: 'VMOperation',
  metadata: { name: `my-vm-${verb}-${SUFFIX}`, ...metadata },
  spec: { vmRef: { name: 'my-vm' }, operation: verb, ...spec },
});
const snapshot = (name: string, spec: object = {}) => ({
  ...group,
  kind: 'VMSnapshot',
  metadata: { name },
  spec: { vmRef: { name: 'my-vm' }, ...spec },
});
const kubevirtRef = { vmRef: { name: 'my-vm', apiGroup: 'kubevirt.io', kind: 'VirtualMachine' } };

describe('a call prints its object', () => {
  it.each<[string, object]>([
    [
      '-op vm-create -vm my-vm -cpus 4 -memory 8Gi -template ubuntu-22-04',
      machine({ cpus: 4, memory: '8Gi', running: true, image: { templateRef: { name: 'ubuntu-22-04' } } }),
    ],
    ['-op vm-create -vm my-vm', machine({ cpus: 1, memory: '1Gi', running: true })],
    [
      '--op vm-create --vm my-vm --stopped --namespace shop --labels tier=web --labels app=a --user-data init.yaml --disk root=50Gi:fast-ssd --disk data=1Ti --image https://images.example.org/a.qcow2 --checksum md5:d41d8cd98f00b204e9800998ecf8427e',
      machine(
        {
          cpus: 1,
          memory: '1Gi',
          running: false,
          disks: [
            { name: 'root', size: '50Gi', storageClass: 'fast-ssd' },
            { name: 'data', size: '1Ti' },
          ],
          image: {
            source: 'https://images.example.org/a.qcow2',
            checksum: { type: 'md5', value: 'd41d8cd98f00b204e9800998ecf8427e' },
          },
          cloudInit: { userData: '#cloud-config\n' },
        },
        { name: 'my-vm', namespace: 'shop', labels: { tier: 'web', app: 'a' } },
      ),
    ],
    [
      '-op vm-create -vm my-vm -template t -template-namespace golden',
      machine({
        cpus: 1,
        memory: '1Gi',
        running: true,
        image: { templateRef: { name: 't', namespace: 'golden' } },
      }),
    ],
    [
      '-op vm-create -vm my-vm -group simulation.node-classifier.io -cpus 2',
      {
        apiVersion: 'simulation.node-classifier.io/v1alpha1',
        kind: 'VirtualMachine',
        metadata: { name: 'my-vm' },
        spec: { running: true, resources: { cpu: '2', memory: '1Gi' } },
      },
    ],
    ['-op vm-start -vm my-vm', operation('start')],
    ['-op vm-stop -vm my-vm', operation('stop')],
    [
      '-op vm-stop -vm my-vm -force -timeout 90s -ttl 0',
      operation('stop', { force: true, timeout: '1m30s', ttlSecondsAfterFinished: 0 }),
    ],
    ['-op vm-restart -vm my-vm', operation('restart')],
    ['-op vm-restart -vm my-vm -namespace shop', operation('restart', {}, { namespace: 'shop' })],
    ['-op vm-start -vm my-vm -group kubevirt.io', operation('start', kubevirtRef)],
    ['-op vm-start -vm my-vm -group hypersdk.io', operation('start')],
    ['-op vm-clone -vm my-vm -target my-vm-clone', operation('clone', { cloneSpec: { targetName: 'my-vm-clone' } })],
    [
      '-op vm-clone -vm my-vm -target twin -linked -start -snapshot monday -target-namespace test',
      operation('clone', {
        cloneSpec: {
          targetName: 'twin',
          targetNamespace: 'test',
          linkedClone: true,
          startAfterClone: true,
          snapshotRef: 'monday',
        },
      }),
    ],
    ['-op vm-migrate -vm my-vm', operation('migrate')],
    [
      '-op vm-migrate -vm my-vm -target-node node-2 -live=false',
      operation('migrate', { migrateSpec: { targetNode: 'node-2', live: false } }),
    ],
    [
      '-op vm-migrate -vm my-vm -live -bandwidth 100Mbps -auto-converge=false -post-copy',
      operation('migrate', { migrateSpec: { bandwidth: '100Mbps', autoConverge: false, postCopy: true } }),
    ],
    ['-op vm-resize -vm my-vm -cpus 8', operation('resize', { resizeSpec: { cpus: 8 } })],
    [
      '-op vm-resize -vm my-vm -memory 16Gi -hotplug',
      operation('resize', { resizeSpec: { memory: '16Gi', hotplug: true } }),
    ],
    ['-op vm-restore -vm my-vm -snapshot monday', operation('restore', { restoreSpec: { snapshotName: 'monday' } })],
    ['-op vm-delete -vm my-vm', operation('delete')],
    [
      '-op vm-snapshot-create -vm my-vm -snapshot my-snapshot -include-memory',
      snapshot('my-snapshot', { includeMemory: true }),
    ],
    ['-op vm-snapshot-create -vm my-vm', snapshot(`my-vm-snapshot-${SUFFIX}`)],
    [
      '-op vm-snapshot-create -vm my-vm -snapshot s -quiesce=false -keep-days 30 -keep-count 4 -description nightly -group kubevirt.io',
      snapshot('s', {
        ...kubevirtRef,
        quiesce: false,
        description: 'nightly',
        retention: { keepDays: 30, keepCount: 4 },
      }),
    ],
    [
      '-op template-create -template debian-12 -image https://images.example.org/debian-12.qcow2',
      {
        ...group,
        kind: 'VMTemplate',
        metadata: { name: 'debian-12' },
        spec: { displayName: 'debian-12', image: { source: 'https://images.example.org/debian-12.qcow2' } },
      },
    ],
    [
      '-op template-create -template d -image docker://a/b -display-name Debian -os linux -distribution debian -os-version 12 -template-version 2.0.0 -cpus 2 -memory 2Gi -disk root=20Gi',
      {
        ...group,
        kind: 'VMTemplate',
        metadata: { name: 'd' },
        spec: {
          displayName: 'Debian',
          version: '2.0.0',
          osInfo: { type: 'linux', distribution: 'debian', version: '12' },
          defaultSpec: { cpus: 2, memory: '2Gi', disks: [{ name: 'root', size: '20Gi' }] },
          image: { source: 'docker://a/b' },
        },
      },
    ],
  ])('%s', async (words, object) => {
    const outcome = await call(words);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    expect(parse(outcome.out)).toEqual(object);
    const json = await call(`${words} -output json`);
    expect(JSON.parse(json.out)).toEqual(object);
  });
});

describe('an invalid call is rejected with all errors, and prints no object', () => {
  it.each<[string, string]>([
    ['', "required option '--op <operation>' not specified"],
    ['-op fly', '--op fly: Allowed choices are vm-list, vm-get,'],
    ['-op vm-create', 'vm-create needs -vm.'],
    ['-op vm-clone -target a', 'vm-clone needs -vm.'],
    ['-op vm-clone', 'vm-clone needs -vm and -target.'],
    ['-op vm-restore -vm a', 'vm-restore needs -snapshot.'],
    ['-op template-create -template a', 'template-create needs -image.'],
    ['-op vm-start -vm a -cpus 2 -include-memory', 'vm-start takes no -cpus, -include-memory.'],
    ['-op vm-list -wait', 'vm-list takes no -wait.'],
    ['-op vm-start -vm a -output table', 'vm-start prints yaml or json, not table.'],
    ['-op vm-list -output xml', '--output xml: Allowed choices are table, wide, json, yaml, name.'],
    ['-op vm-create -vm a -cpus none', '--cpus none: It must be a whole number of at least 1.'],
    ['-op vm-create -vm a -disk 50Gi', '--disk 50Gi: It must be name=size or name=size:class'],
    ['-op vm-create -vm a -checksum 12', '--checksum 12: It must be md5:, sha256: or sha512: followed by the digest.'],
    ['-op vm-create -vm a -labels x', '--labels x: It must be key=value.'],
    ['-op vm-create -vm a -namespace=', '-namespace must not be empty.'],
    ['-op vm-create -vm a -template=', '--template : It must not be empty.'],
    ['-op vm-create -vm a -memory 8GB', '--memory 8GB: It must be a quantity such as 512Mi or 8Gi: try 8Gi.'],
    ['-op vm-create -vm a -memory 8', '8 without a suffix is 8 bytes; did you mean 8Gi?'],
    ['-op vm-resize -vm a -memory 512m', 'm means thousandths of a byte; did you mean 512Mi?'],
    ['-op vm-create -vm a -cpus 999', 'spec.cpus: Invalid value: 999'],
    ['-op vm-create -vm A', 'a VM cannot be named "A"'],
    ['-op vm-create -vm a -template t -image i', 'at most one of source and templateRef'],
    ['-op vm-create -vm a -group kubevirt.io -template t', 'VMs of kubevirt.io do not support --template'],
    ['-op vm-resize -vm a', 'operation resize needs resizeSpec.cpus or resizeSpec.memory'],
    ['-op vm-clone -vm a -target a', 'must differ from the VM that is cloned'],
    ['-op vm-migrate -vm a -bandwidth 10MB/s', 'spec.migrateSpec.bandwidth: Invalid value: "10MB/s"'],
    ['-op vm-list -status Running,Nope', '--status Nope: unknown state'],
    ['-op vm-list -min-memory much', '--min-memory much: It must be a quantity such as 512Mi or 8Gi.'],
    ['-op vm-start -vm a -timeout soon', '--timeout soon: '],
    ['-op vm-start -vm a -wait=perhaps', '-wait=perhaps: it must be true or false'],
    ['-op vm-start -vm a -speed 9', "unknown option '--speed'"],
  ])('%s', async (words, message) => {
    const outcome = await call(words);
    expect(outcome).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  });

  it('reports everything at once', async () => {
    const { err } = await call('-op vm-start -memory 1Gi -cpus 0');
    expect(err).toContain('--cpus 0: It must be');
    expect(err).toContain('vm-start needs -vm.');
    expect(err).toContain('vm-start takes no -cpus, -memory.');
  });
});

describe('on a terminal, without -vm,', () => {
  const ask = (answers: string[], ...more: string[]) => runHyperctl(['k8s', '-op', 'vm-create', ...more], { answers });

  it('vm-create prompts for its settings, and again after an invalid answer', async () => {
    const outcome = await ask(['', 'Web', 'web', 'debian-12', '0', '4', '8GB', '8Gi', '40Gi', 'perhaps', 'no', 'n']);
    expect(outcome.code).toBe(0);
    expect(parse(outcome.out)).toEqual(
      machine(
        {
          cpus: 4,
          memory: '8Gi',
          running: false,
          disks: [{ name: 'root', size: '40Gi' }],
          image: { templateRef: { name: 'debian-12' } },
        },
        { name: 'web' },
      ),
    );
    expect(outcome.err).toContain('It must be a whole number of at least 1.\nCPUs [1]: ');
    expect(outcome.err).toContain('It must be yes or no.\n');
  });

  it('it takes defaults for empty answers, and does not prompt for what flags set', async () => {
    const { out, err } = await ask(['web', '', '', ''], '-cpus', '2', '-memory', '2Gi', '-image', 'docker://a/b');
    expect(parse(out)).toEqual(
      machine({ cpus: 2, memory: '2Gi', running: true, image: { source: 'docker://a/b' } }, { name: 'web' }),
    );
    expect(err).not.toMatch(/CPUs|Memory|Template|Image/);
  });

  it('no other operation prompts', async () => {
    expect(await runHyperctl(['k8s', '-op', 'vm-start'], { answers: ['a'] })).toMatchObject({
      code: 2,
      err: expect.stringContaining('vm-start needs -vm.'),
    });
    expect(await ask(['unasked'], '-vm', 'a')).toMatchObject({ code: 0, err: '' });
  });
});
