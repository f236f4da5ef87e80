import { aborted } from './aborted.ts';
import type { Runnable } from './runnable.ts';

/**
 * Runs runnables as one: started in order, stopped in the opposite order, each once those after it have put everything
 * away. Where one fails, all are stopped and the failure is passed on.
 */
export function manager(name: string, runnables: readonly Runnable[]): Runnable {
  return {
    name,
    async run(signal) {
      const failed = new AbortController();
      let failure: { readonly error: unknown } | undefined;
      const started = runnables.map((runnable) => {
        const stop = new AbortController();
        const done = runnable.run(stop.signal).catch((error: unknown) => {
          failure ??= { error };
          failed.abort();
        });
        return { stop, done };
      });
      await aborted(AbortSignal.any([signal, failed.signal]));
      for (const { stop, done } of started.reverse()) {
        stop.abort();
        await done;
      }
      if (failure !== undefined) throw failure.error;
    },
  };
}
