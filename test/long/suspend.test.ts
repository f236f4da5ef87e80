import { expect, it, vi } from 'vitest';
import { realClock } from '#platform/base/clock';
import { Kubectl } from '../e2e/support/kubectl.ts';
import { startUp } from '../e2e/support/vimana.ts';
import { words } from '../e2e/support/words.ts';

const WAIT = { timeout: 60_000, interval: 200 };
/** Longer than any lease of a node, and than any timeout for it. */
const STALL_MS = 75_000;

it('vimana up continues with all VMs after it was suspended for longer than the leases', async () => {
  const server = await startUp([]);
  try {
    const kubectl = new Kubectl(server.kubeconfig, server.folder);
    const columns =
      ':.metadata.name,:.metadata.uid,:.status.nodeName,:.status.phase,:.status.phaseTransitionTimestamps,:.status.activePods';
    const list = async () => (await kubectl.run(words(`get vmi -A -o custom-columns=${columns}`))).out;
    const nodes = async () =>
      (await kubectl.run(words('get nodes -o custom-columns=:.metadata.name,:.spec.taints[*].key'))).out;
    await vi.waitFor(async () => expect((await list()).match(/kwok-node-\d+ +Running/g)).toHaveLength(10), WAIT);
    const before = { machines: await list(), nodes: await nodes() };
    for (const rest of [0, 25_000]) {
      process.kill(server.pid, 'SIGSTOP');
      await realClock.sleep(STALL_MS);
      process.kill(server.pid, 'SIGCONT');
      // Anything that would stop them does so within the time until a node is declared lost.
      await realClock.sleep(45_000 + rest);
      expect({ machines: await list(), nodes: await nodes() }).toEqual(before);
    }
    const { out } = await kubectl.run(words('get events -A -o custom-columns=:.reason'));
    expect(out).not.toMatch(/Fenced|NodeLost|NodeNotReady|TaintManagerEviction/);
  } finally {
    await server.stop();
  }
});
