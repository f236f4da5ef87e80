import { watch } from 'node:fs';
import type { Clock } from '#platform/base/clock';

/** A watch reports every change on a local file system. On others, the state is read again after this time. */
const READ_AGAIN_MS = 500;

/**
 * Resolves to the first defined result of `read`, which is called now and whenever the directory changes, or to
 * undefined after the timeout.
 */
export async function waitForChange<T>(
  directory: string,
  read: () => Promise<T | undefined>,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<T | undefined> {
  const end = clock.monotonic() + timeoutMs;
  let wake = Promise.withResolvers<void>();
  const watcher = watch(directory, () => wake.resolve());
  // A directory that was deleted has no further changes.
  watcher.on('error', () => wake.resolve());
  try {
    for (;;) {
      wake = Promise.withResolvers<void>();
      const result = await read();
      const left = end - clock.monotonic();
      if (result !== undefined || left <= 0) return result;
      const timer = clock.timer(Math.min(left, READ_AGAIN_MS), () => wake.resolve());
      await wake.promise;
      timer.cancel();
    }
  } finally {
    watcher.close();
  }
}
