import type { Runnable } from './runnable.ts';
import { waitForAbort } from './wait-for-abort.ts';

/**
 * Runs runnables as one: they start in order and stop in reverse order, each after those behind it have cleaned up. If
 * one fails, all are stopped and the failure is passed on.
 */
export function manager(name: string, runnables: readonly Runnable[]): Runnable {
  return {
    name,
    async run(signal) {
      const failed = new AbortController();
      let failure: { readonly error: unknown } | undefined;
      const started = async (runnable: Runnable, stop: AbortSignal) => {
        try {
          await runnable.run(stop);
        } catch (error) {
          failure ??= { error };
          failed.abort();
        }
      };
      const running = runnables.map((runnable) => {
        const stop = new AbortController();
        return { stop, done: started(runnable, stop.signal) };
      });
      await waitForAbort(AbortSignal.any([signal, failed.signal]));
      for (const { stop, done } of running.reverse()) {
        stop.abort();
        await done;
      }
      if (failure !== undefined) throw failure.error;
    },
  };
}
