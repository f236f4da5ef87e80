import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Timeline } from './timeline.ts';
import { Version } from './version.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('timeline', () => {
  it('lets go of versions that compaction has made unreachable, and of no others', async () => {
    const timeline = new Timeline();
    const write = (key: string, value: string | undefined): WeakRef<Version> => {
      const version = new Version(key, value, timeline.revision + 1, timeline.revision + 1);
      timeline.apply(version);
      return new WeakRef(version);
    };
    const refs = [write('/a', '1'), write('/a', '2'), write('/b', '1'), write('/b', undefined), write('/a', '3')];
    timeline.compact(timeline.revision - 1);
    for (let attempt = 0; attempt < 50 && refs[0]?.deref() !== undefined; attempt++) {
      // A WeakRef keeps its target alive until the job that created or read it ends.
      await new Promise((resolve) => process.nextTick(resolve));
      collectGarbage();
    }
    expect(refs.map((ref) => ref.deref()?.value)).toEqual([undefined, '2', undefined, undefined, '3']);
    expect(timeline.get('/a', timeline.revision - 1)?.value).toBe('2');
  });

  it('refuses a revision out of turn and a deletion of nothing', () => {
    const timeline = new Timeline(5);
    expect(() => timeline.apply(new Version('/a', 'x', 7, 7))).toThrow('revision 7 follows 5');
    expect(() => timeline.apply(new Version('/a', undefined, 6, 6))).toThrow('deletes "/a", which does not exist');
  });
});
