import { expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { demoVms } from './demo-fleet.ts';
import { StartupProgress } from './startup-progress.ts';
import { waitForStartup } from './wait-for-startup.ts';

it('does not wait for VMs of an earlier start, which may have been stopped', async () => {
  const client = {
    create: () => Promise.reject(new KubeError(409, 'AlreadyExists', 'exists')),
    watch: () => {
      throw new Error('nothing to wait for');
    },
  } as unknown as Client;
  let out = '';
  const progress = new StartupProgress({ write: (text) => void (out += text), live: false, clock: realClock });
  const demo = demoVms([{ count: 1 }]);
  await waitForStartup({ client, progress, nodes: [], demo, signal: new AbortController().signal });
  expect(out).toContain('demo fleet: already exists');
});
