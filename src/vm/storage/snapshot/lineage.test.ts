import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BLANK_DISK,
  bytesBeyond,
  type DiskContents,
  formatContents,
  restoredTo,
  retainedOf,
  withFile,
} from '#api/disk/contents';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { retainedIn } from '../disk/saved-disks.ts';
import { ancestryWith, existingAncestors, formatSize, inChain, lineageOf } from './lineage.ts';

describe('a size for users', () => {
  it.each([
    [0, '0'],
    [1023, '1023'],
    [1024, '1Ki'],
    [3.2 * 2 ** 30, '3.2Gi'],
    [2 ** 30 + 3, '1Gi'],
  ])('of %d bytes is %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});

/** VM with one disk whose snapshots are managed as the controllers do. */
class Trial {
  disk: DiskContents = BLANK_DISK;
  snapshots: Snapshot[] = [];
  #count = 0;

  write(path: string, text: string): void {
    this.disk = withFile(this.disk, path, { text, digest: text, bytes: text.length });
  }

  take(name: string): void {
    const lineage = lineageOf('vm', this.disk.branch, this.snapshots);
    const uid = `uid-${this.#count++}`;
    const contents = formatContents(retainedOf(this.disk));
    const status = {
      ...lineage,
      vmUID: 'vm',
      phase: 'Ready',
      creationTime: '2030-01-01T00:00:00Z',
      disks: [{ name: 'root', claim: 'c', contents }],
    };
    this.snapshots.push({ metadata: { name, uid }, status } as never);
    this.#settle();
  }

  restore(name: string): void {
    const found = this.find(name);
    const on = [
      ...existingAncestors(found.status ?? {}, this.snapshots).map(({ metadata }) => ({
        name: metadata.name,
        uid: metadata.uid,
      })),
      ...ancestryWith(found).slice(-1),
    ];
    this.disk = restoredTo(this.disk, this.kept(found), { uid: `restore-${this.#count++}`, on }, undefined);
  }

  remove(name: string): void {
    this.snapshots = this.snapshots.filter(({ metadata }) => metadata.name !== name);
    this.#settle();
  }

  find(name: string): Snapshot {
    return this.snapshots.find(({ metadata }) => metadata.name === name) as Snapshot;
  }

  kept({ status }: Snapshot): DiskContents {
    return retainedIn({ name: 'root', contents: status?.disks?.[0]?.contents ?? '' });
  }

  #settle(): void {
    this.snapshots = this.snapshots.map((each) => ({ ...each, status: inChain(each.status ?? {}, this.snapshots) }));
  }
}

describe('snapshots of one VM', () => {
  it('are based on the previous one, or on the one that was restored', () => {
    const trial = new Trial();
    for (const name of ['a', 'b']) trial.take(name);
    trial.restore('a');
    for (const name of ['c', 'd']) trial.take(name);
    const chains = trial.snapshots.map(({ metadata, status }) => [metadata.name, status?.snapshotChain ?? []]);
    expect(chains).toEqual([
      ['a', []],
      ['b', ['a']],
      ['c', ['a']],
      ['d', ['a', 'c']],
    ]);
    trial.remove('a');
    trial.restore('b');
    trial.take('e');
    expect(trial.find('e').status?.snapshotChain).toEqual(['b']);
    expect(trial.find('c').status?.parentSnapshot).toBeUndefined();
  });

  it('restore the contents, and have the size of what their parent does not contain, even if others are deleted', () => {
    const name = fc.constantFrom('s', 't', 'u', 'v');
    const step = fc.oneof(
      fc.record({
        do: fc.constant('write' as const),
        path: fc.constantFrom('/a', '/b', '/c'),
        text: fc.string({ maxLength: 3 }),
      }),
      fc.record({ do: fc.constantFrom('take' as const, 'restore' as const, 'remove' as const), name }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const trial = new Trial();
        let plain = new Map<string, string>();
        const copies = new Map<string, { readonly files: Map<string, string>; parent: string | undefined }>();
        let current: string | undefined;
        for (const each of steps) {
          if (each.do === 'write') {
            trial.write(each.path, each.text);
            plain.set(each.path, each.text);
          } else if (each.do === 'take' && !copies.has(each.name)) {
            trial.take(each.name);
            copies.set(each.name, { files: new Map(plain), parent: current });
            current = each.name;
          } else if (each.do === 'restore' && copies.has(each.name)) {
            trial.restore(each.name);
            plain = new Map(copies.get(each.name)?.files);
            current = each.name;
          } else if (each.do === 'remove' && copies.has(each.name)) {
            const gone = copies.get(each.name);
            trial.remove(each.name);
            copies.delete(each.name);
            for (const copy of copies.values()) if (copy.parent === each.name) copy.parent = gone?.parent;
            if (current === each.name) current = gone?.parent;
          }
          expect(textsOf(trial.disk)).toEqual(plain);
          for (const [known, { files, parent }] of copies) {
            const { status } = trial.find(known);
            expect(textsOf(trial.kept(trial.find(known)))).toEqual(files);
            expect(status?.parentSnapshot).toBe(parent);
            const below = parent === undefined ? undefined : trial.kept(trial.find(parent));
            expect(status?.sizeBytes).toBe(bytesBeyond(trial.kept(trial.find(known)), below));
          }
        }
      }),
    );
  });
});

const textsOf = ({ files }: DiskContents) =>
  new Map(Object.entries(files).map(([path, { text = '' }]) => [path, text]));
