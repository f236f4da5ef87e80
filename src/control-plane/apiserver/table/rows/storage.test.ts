import { describe, expect, it } from 'vitest';
import { persistentVolumeRow } from './storage.ts';

const NOW = Date.parse('2030-01-01T01:00:00Z');
const metadata = { name: 'v', creationTimestamp: '2030-01-01T00:00:00Z' };

describe('the row of a PersistentVolume', () => {
  it.each([
    ['from the spec', {}, { storageClassName: 'fast' }, 'fast'],
    [
      'from the annotation first',
      { 'volume.beta.kubernetes.io/storage-class': 'old' },
      { storageClassName: 'fast' },
      'old',
    ],
    ['empty if there is none', {}, {}, ''],
  ])('shows its class: %s', (_what, annotations, spec, name) => {
    const row = persistentVolumeRow({ metadata: { ...metadata, annotations }, spec }, NOW);
    expect(row[6]).toBe(name);
  });

  it('shows all fields, and <unset> for missing ones', () => {
    const empty = persistentVolumeRow({ metadata }, NOW);
    expect(empty.slice(3)).toEqual(['', '', '', '', '<unset>', '', '60m', '<unset>']);
    const full = persistentVolumeRow(
      {
        metadata: { ...metadata, deletionTimestamp: '2030-01-01T00:30:00Z' },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
          persistentVolumeReclaimPolicy: 'Delete',
          claimRef: { namespace: 'n', name: 'c' },
          volumeAttributesClassName: 'gold',
          volumeMode: 'Block',
        },
        status: { phase: 'Bound', reason: 'R' },
      },
      NOW,
    );
    expect(full).toEqual(['v', '1Gi', 'RWO,RWX', 'Delete', 'Terminating', 'n/c', '', 'gold', 'R', '60m', 'Block']);
  });
});
