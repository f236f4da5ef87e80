import { parentPort } from 'node:worker_threads';
import { computeFit } from '#vm/forecast/budgeted-fits';
import type { FitAnswer, FitOrder } from './fit-thread.ts';

parentPort?.on('message', ({ id, request }: FitOrder) => {
  computeFit(request).then(
    (fitted) => parentPort?.postMessage({ id, fitted } satisfies FitAnswer, []),
    (error: unknown) => parentPort?.postMessage({ id, problem: (error as Error).message } satisfies FitAnswer, []),
  );
});
