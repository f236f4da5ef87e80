import { describe, expect, test } from 'vitest';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { admissionTrial } from '#testing/admission-trial';
import { vmSnapshotAdmitter } from './vm-snapshot.ts';

const trial = admissionTrial(vmSnapshotAdmitter);

function snapshot(spec: object = {}) {
  const { apiVersion, kind } = vmSnapshot;
  return {
    apiVersion,
    kind,
    metadata: { name: 'snap', namespace: 'default' },
    spec: { vmRef: { name: 'web' }, ...spec },
  };
}
const location = (text: string) => snapshot({ destination: { location: text } });

test('a snapshot gets its defaults', () => {
  expect(trial(snapshot({ retention: {} })).object.spec).toEqual({
    vmRef: { name: 'web' },
    includeMemory: false,
    quiesce: true,
    retention: { autoDelete: true },
  });
});

describe('a location', () => {
  test.each(['s3://archive', 's3://archive/vms/web', 'local:///var/lib/snapshots'])('may be %s', (text) => {
    expect(trial(location(text)).causes).toEqual([]);
  });

  test.each(['', 'nfs://host/x', 's3://', 's3://Upper/x', 'local://relative', '/var/lib'])(
    'may not be "%s"',
    (text) => {
      expect(trial(location(text)).causes).toEqual([
        `spec.destination.location: Invalid value: "${text}": must be s3://bucket/prefix or local:///directory`,
      ]);
    },
  );
});

test('a snapshot with another destination is stored, with a warning', () => {
  expect(trial(location('s3://archive')).warnings).toEqual([
    'spec.destination.location: snapshots are stored with the disks; this one will fail without any change',
  ]);
});

describe('a stored snapshot', () => {
  test.each<[string, object]>([
    ['vmRef', { vmRef: { name: 'other' } }],
    ['includeMemory', { includeMemory: true }],
    ['quiesce', { quiesce: false }],
    ['destination', { destination: { location: 's3://archive' } }],
  ])('keeps its %s', (field, change) => {
    expect(trial(snapshot(change), snapshot()).causes).toEqual([
      `spec.${field}: Forbidden: ${field} cannot be changed: create another VMSnapshot`,
    ]);
  });

  test('may change its description and retention', () => {
    expect(trial(snapshot({ description: 'Keep', retention: { keepDays: 90 } }), snapshot()).causes).toEqual([]);
  });
});

describe('retention', () => {
  test.each<[object, string]>([
    [
      { keepDays: 0 },
      'keepDays: Invalid value: 0: spec.retention.keepDays in body should be greater than or equal to 1',
    ],
    [
      { keepCount: 0 },
      'keepCount: Invalid value: 0: spec.retention.keepCount in body should be greater than or equal to 1',
    ],
    [
      { expiresAt: 'tomorrow' },
      'expiresAt: Invalid value: "tomorrow": spec.retention.expiresAt in body must be of type date-time: "tomorrow"',
    ],
  ])('%o is rejected', (retention, cause) => {
    expect(trial(snapshot({ retention })).causes[0]).toBe(`spec.retention.${cause}`);
  });

  test('warns that a fixed date takes precedence over a number of days', () => {
    const retention = { keepDays: 3, expiresAt: '2030-01-01T00:00:00Z' };
    expect(trial(snapshot({ retention }))).toMatchObject({
      causes: [],
      warnings: ['spec.retention.keepDays is ignored: expiresAt takes precedence'],
    });
  });
});
