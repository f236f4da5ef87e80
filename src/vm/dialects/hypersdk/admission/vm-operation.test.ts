import { describe, expect, test } from 'vitest';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { formatFieldError } from '#platform/base/field-error';
import { admissionTrial } from '#testing/admission-trial';
import { vmOperationAdmitter } from './vm-operation.ts';

const trial = admissionTrial(vmOperationAdmitter);

function operation(operation: string, spec: object = {}) {
  const { apiVersion, kind } = vmOperation;
  const metadata = { name: 'op', namespace: 'default' };
  return { apiVersion, kind, metadata, spec: { vmRef: { name: 'web' }, operation, ...spec } };
}
const clone = (cloneSpec: object, vmRef: object = { name: 'web' }) => operation('clone', { cloneSpec, vmRef });

describe('the required fields of an operation:', () => {
  test.each<[string, object, string[]]>([
    ['start needs nothing more', operation('start'), []],
    ['migrate needs nothing more', operation('migrate'), []],
    ['snapshot needs nothing more', operation('snapshot'), []],
    [
      'clone needs a cloneSpec',
      operation('clone'),
      ['spec.cloneSpec: Required value: operation clone needs cloneSpec.targetName'],
    ],
    [
      'clone needs a target name',
      clone({ linkedClone: true }),
      ['spec.cloneSpec: Required value: operation clone needs cloneSpec.targetName'],
    ],
    [
      'resize needs a size',
      operation('resize', { resizeSpec: { hotplug: true } }),
      ['spec.resizeSpec: Required value: operation resize needs resizeSpec.cpus or resizeSpec.memory'],
    ],
    ['resize may change CPUs alone', operation('resize', { resizeSpec: { cpus: 4 } }), []],
    ['resize may change memory alone', operation('resize', { resizeSpec: { memory: '4Gi' } }), []],
    [
      'restore needs a snapshot',
      operation('restore'),
      ['spec.restoreSpec: Required value: operation restore needs restoreSpec.snapshotName'],
    ],
    [
      'restore with a snapshot needs nothing more',
      operation('restore', { restoreSpec: { snapshotName: 'monday' } }),
      [],
    ],
    [
      'an unknown operation is rejected',
      operation('reboot'),
      [
        'spec.operation: Unsupported value: "reboot": supported values: "start", "stop", "restart", "clone", "migrate", "snapshot", "restore", "resize", "delete"',
      ],
    ],
  ])('%s', (_what, object, expected) => {
    expect(trial(object).causes.filter((cause) => !cause.includes('rules were not checked'))).toEqual(expected);
  });
});

const LABEL = /^spec\.cloneSpec\.targetName: Invalid value: "Web_2": a lowercase RFC 1123 label must consist of/;

describe('errors contain the field and a remedy:', () => {
  test.each<[string, object, string]>([
    [
      'a clone onto itself',
      clone({ targetName: 'web' }),
      'spec.cloneSpec.targetName: Invalid value: "web": must differ from the VM that is cloned',
    ],
    [
      'a clone onto itself with its namespace',
      clone({ targetName: 'web', targetNamespace: 'default' }),
      'spec.cloneSpec.targetName: Invalid value: "web": must differ from the VM that is cloned',
    ],
    [
      'a clone onto itself in another namespace',
      clone({ targetName: 'web' }, { name: 'web', namespace: 'shop' }),
      'spec.cloneSpec.targetName: Invalid value: "web": must differ from the VM that is cloned',
    ],
    [
      'a timeout of 0',
      operation('stop', { timeout: '0m' }),
      'spec.timeout: Invalid value: "0m": must be greater than zero',
    ],
    [
      'a bandwidth of 0',
      operation('migrate', { migrateSpec: { bandwidth: '0Mbps' } }),
      'spec.migrateSpec.bandwidth: Invalid value: "0Mbps": must be greater than zero; omit it for no limit',
    ],
    [
      'a bandwidth in bytes',
      operation('migrate', { migrateSpec: { bandwidth: '10MB/s' } }),
      `spec.migrateSpec.bandwidth: Invalid value: "10MB/s": spec.migrateSpec.bandwidth in body should match '^[0-9]+[KMG]?bps$'`,
    ],
    [
      'memory of 0',
      operation('resize', { resizeSpec: { memory: '0Mi' } }),
      'spec.resizeSpec.memory: Invalid value: "0Mi": must be greater than zero',
    ],
    [
      'an unknown group',
      operation('start', { vmRef: { name: 'web', apiGroup: 'example.org' } }),
      'spec.vmRef.apiGroup: Unsupported value: "example.org": supported values: "", "hypersdk.io", "kubevirt.io", "novacron.io", "simulation.node-classifier.io"',
    ],
    [
      'a kind that is not a VM',
      operation('start', { vmRef: { name: 'web', kind: 'Pod' } }),
      'spec.vmRef.kind: Unsupported value: "Pod": supported values: "", "VirtualMachine"',
    ],
  ])('%s', (_what, object, cause) => {
    expect(trial(object).causes[0]).toBe(cause);
  });

  test('a target name that is not a DNS label', () => {
    expect(trial(clone({ targetName: 'Web_2' })).causes).toEqual([expect.stringMatching(LABEL)]);
  });

  test.each([
    clone({ targetName: 'web', targetNamespace: 'staging' }),
    clone({ targetName: 'web', targetNamespace: 'default' }, { name: 'web', namespace: 'shop' }),
  ])('but not for the same name in another namespace (%#)', (object) => {
    expect(trial(object).causes).toEqual([]);
  });

  test.each(['', 'hypersdk.io', 'kubevirt.io', 'novacron.io', 'simulation.node-classifier.io'])(
    'but not for a VM of the group "%s"',
    (apiGroup) => {
      expect(trial(operation('start', { vmRef: { name: 'web', apiGroup } })).causes).toEqual([]);
    },
  );
});

describe('a stored operation', () => {
  test.each<[string, object, object]>([
    ['vmRef', {}, { vmRef: { name: 'other' } }],
    ['operation', {}, { operation: 'stop' }],
    ['force', {}, { force: true }],
    ['timeout', {}, { timeout: '5m' }],
    ['cloneSpec', { cloneSpec: { targetName: 'a' } }, { cloneSpec: { targetName: 'b' } }],
    ['migrateSpec', {}, { migrateSpec: { live: true } }],
    ['resizeSpec', { resizeSpec: { cpus: 2 } }, {}],
    ['snapshotSpec', { snapshotSpec: { name: 'a' } }, { snapshotSpec: { name: 'b' } }],
    ['restoreSpec', { restoreSpec: { snapshotName: 'a' } }, { restoreSpec: { snapshotName: 'b' } }],
  ])('keeps its %s', (field, before, after) => {
    expect(trial(operation('start', after), operation('start', before)).causes).toEqual([
      `spec.${field}: Forbidden: ${field} cannot be changed: create another VMOperation`,
    ]);
  });

  test('can be canceled, and that cannot be undone', () => {
    const running = operation('migrate');
    const cancelled = operation('migrate', { cancel: true });
    expect(trial(cancelled, running).causes).toEqual([]);
    expect(trial(running, cancelled).causes).toEqual([
      'spec.cancel: Forbidden: a cancelled operation stays cancelled: create another VMOperation',
    ]);
  });

  test('may change its TTL, and be applied again unchanged', () => {
    const before = operation('start', { ttlSecondsAfterFinished: 60 });
    expect(trial(operation('start', { ttlSecondsAfterFinished: 600 }), before).causes).toEqual([]);
    expect(trial(operation('start'), before).causes).toEqual([]);
    expect(trial(before, before).causes).toEqual([]);
  });
});

test('fields of another operation get a warning', () => {
  const object = operation('start', {
    cloneSpec: { targetName: 'copy' },
    migrateSpec: { live: false, postCopy: true },
  });
  expect(trial(object)).toMatchObject({
    causes: [],
    warnings: [
      'spec.cloneSpec is ignored: the operation is start',
      'spec.migrateSpec is ignored: the operation is start',
      'spec.migrateSpec.postCopy is ignored: the migration is not live',
    ],
  });
});

test('a status with all fields is accepted, and one with invalid values is not', () => {
  const before = operation('migrate');
  const status = {
    observedGeneration: 1,
    phase: 'Succeeded',
    conditions: [{ type: 'Succeeded', status: 'True', reason: 'Done', lastTransitionTime: '2030-01-01T00:00:00Z' }],
    progress: 100,
    startTime: '2030-01-01T00:00:00Z',
    completionTime: '2030-01-01T00:00:09Z',
    message: 'Moved',
    result: { sourceNode: 'a', targetNode: 'b', live: true, downtimeMs: 39, transferredBytes: 5_000_000_000 },
  };
  const report = (change: object) => trial({ ...before, status: { ...status, ...change } }, before, 'status');
  expect(report({})).toMatchObject({ causes: [], unknownFields: [], object: { status } });
  expect(report({ progress: 101 }).causes).toEqual([
    'status.progress: Invalid value: 101: status.progress in body should be less than or equal to 100',
  ]);
});

describe('a cancel after the end', () => {
  const write = (phase: string, before: boolean) => {
    const status = { phase, completionTime: '2030-01-01T00:00:00Z' };
    const over = (cancel: boolean) => ({ ...trial(operation('start', { cancel })).object, status }) as never;
    const user = { name: 'tester', groups: [] };
    const lookup = () => undefined;
    return vmOperationAdmitter.validate({ operation: 'UPDATE', object: over(true), old: over(before), user, lookup });
  };

  test('is rejected', () => {
    const { causes } = write('Succeeded', false);
    expect(causes.map(formatFieldError)).toEqual([
      'spec.cancel: Forbidden: the operation is already finished: its phase is Succeeded',
    ]);
  });

  test('is explained if it was already set', () => {
    const { causes, warnings } = write('Cancelled', true);
    expect(causes).toEqual([]);
    expect(warnings).toEqual(['spec.cancel is already set: the phase of the operation is Cancelled']);
  });
});
