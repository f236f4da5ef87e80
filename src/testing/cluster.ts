import { realClock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger, type MemoryLogger } from '#platform/base/logger';
import { type Random, seededRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import type { Runnable } from '#platform/runtime/runnable';
import { startVmControlPlane } from '#programs/embedded/control-plane';
import { WAIT } from './wait.ts';

export interface ClusterUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** API server in memory whose clock advances only when a test moves it. */
export interface Cluster {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly log: MemoryLogger;
  /** Client with all permissions. */
  readonly admin: Client;
  clientFor(user: ClusterUser): Client;
  /** Creates the ServiceAccount that pods of a namespace require. That of `default` already exists. */
  admitPods(namespace: string): Promise<void>;
  /** Starts a runnable that runs until the cluster is stopped. The returned function ends it early. */
  run(runnable: Runnable): () => Promise<void>;
  /**
   * Lets pending work proceed, without advancing time, until the check returns a value other than undefined or false.
   */
  until<T>(check: () => T | Promise<T>): Promise<Exclude<T, undefined | false>>;
  /** Lets all pending work proceed without advancing time. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Turns of the event loop after which only work outside it can be left, such as files and keys, which takes real time.
 */
const TURNS = 300;
const QUIET = 20;

export async function startCluster({ start = Date.UTC(2030, 0, 1) } = {}): Promise<Cluster> {
  const clock = new FakeClock({ start });
  const random = seededRandom('cluster');
  const log = createMemoryLogger(clock);
  const plane = await startVmControlPlane({ store: 'memory', clock, random, log });
  const clientFor = (user: ClusterUser) => plane.client(user, 'kube-controller-manager');
  const admin = plane.client({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }, 'kubectl');
  const admitPods = async (namespace: string): Promise<void> => {
    await admin.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace } });
  };
  await admitPods('default');
  const running: (() => Promise<void>)[] = [];

  return {
    clock,
    random,
    log,
    admin,
    admitPods,
    clientFor,
    run(runnable) {
      const stop = new AbortController();
      const done = runnable.run(stop.signal);
      const end = async () => {
        stop.abort();
        await done;
      };
      running.push(end);
      return end;
    },
    async until(check) {
      const end = realClock.monotonic() + WAIT.timeout;
      for (let turn = 0; turn < TURNS || realClock.monotonic() < end; turn++) {
        const found = await check();
        if (found !== undefined && found !== false) return found as never;
        if (turn >= TURNS) await realClock.sleep(WAIT.interval);
        await clock.advance(0);
      }
      throw new Error(`did not come true: ${check.toString()}\n${logMessages(log)}`);
    },
    async settle() {
      for (let turn = 0; turn < QUIET; turn++) await clock.advance(0);
    },
    async stop() {
      for (const end of running.reverse()) await end();
      await plane.stop();
    },
  };
}

function logMessages({ entries }: MemoryLogger): string {
  return entries
    .slice(-5)
    .map(({ level, message, fields }) => `${level}: ${message} ${JSON.stringify(fields)}`)
    .join('\n');
}
