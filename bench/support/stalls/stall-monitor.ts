import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Records every stall of the event loop in a server that loads it before its own code. It records wall time, and CPU
 * time of the thread, which other load on the host does not lengthen.
 */
const EVERY_MS = 5;
const WORTH_RECORDING_MS = 20;
const file = process.env['VIMANA_STALL_LOG'];
// Threads inherit preloaded modules, and may block as long as they like.
if (file !== undefined && isMainThread) {
  let wall = performance.now();
  let processor = process.threadCpuUsage();
  const timer = setInterval(() => {
    const stalled = performance.now() - wall - EVERY_MS;
    const { user, system } = process.threadCpuUsage(processor);
    const busy = (user + system) / 1000;
    if (stalled > WORTH_RECORDING_MS) appendFileSync(file, `${Date.now()} ${stalled.toFixed(1)} ${busy.toFixed(1)}\n`);
    wall = performance.now();
    processor = process.threadCpuUsage();
  }, EVERY_MS);
  timer.unref();
}
