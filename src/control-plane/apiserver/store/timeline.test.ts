import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { EVENT_BYTES, Timeline } from './timeline.ts';
import { Version } from './version.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('timeline', () => {
  it('releases exactly the versions that compaction has made unreachable', async () => {
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

  it('counts the memory of history, and of the newest values', () => {
    const timeline = new Timeline();
    const write = (key: string, value: string | undefined): void => {
      timeline.apply(new Version(key, value, timeline.revision + 1, timeline.revision + 1));
    };
    const kept = () => ({ ...timeline.kept, bytes: timeline.kept.bytes - timeline.kept.events * EVENT_BYTES });
    timeline.restore(new Version('/old', 'x'.repeat(1_000), 1, 1));
    write('/a', 'x'.repeat(100));
    expect(kept()).toEqual({ events: 1, bytes: 0, liveBytes: 1_100 });
    write('/a', 'é'.repeat(50));
    write('/a', '€'.repeat(10));
    expect(kept()).toEqual({ events: 3, bytes: 150, liveBytes: 1_020 });
    write('/a', undefined);
    write('/old', undefined);
    expect(kept()).toEqual({ events: 5, bytes: 1_170, liveBytes: 0 });
    timeline.compact(timeline.revision - 2);
    expect(kept()).toEqual({ events: 2, bytes: 1_020, liveBytes: 0 });
    timeline.compact(timeline.revision);
    expect(timeline.kept).toEqual({ events: 0, bytes: 0, liveBytes: 0 });
  });

  it('rejects a revision out of order and the deletion of a missing key', () => {
    const timeline = new Timeline(5);
    expect(() => timeline.apply(new Version('/a', 'x', 7, 7))).toThrow('revision 7 follows 5');
    expect(() => timeline.apply(new Version('/a', undefined, 6, 6))).toThrow('deletes "/a", which does not exist');
  });
});
