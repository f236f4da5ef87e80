import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { VMS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { type CommandHarness, runCommand, startCommandHarness } from '#testing/command-harness';

let harness: CommandHarness;
beforeAll(async () => {
  harness = await startCommandHarness([{ count: 2 }], ['kubevirt', 'novacron']);
  const body = {
    apiVersion: 'novacron.io/v1alpha1',
    kind: 'VirtualMachine',
    metadata: { name: 'old' },
    spec: {
      running: true,
      template: { spec: { resources: { cpu: 1, memory: '1Gi' }, image: { source: 'marketplace://debian/12' } } },
    },
  };
  await harness.admin.request({ method: 'POST', path: PATH, body });
  const template = { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } };
  await harness.admin.create(
    VMS,
    { metadata: { name: 'web' }, spec: { running: false, template } },
    {
      namespace: 'default',
    },
  );
});
afterAll(() => harness.stop());

const PATH = '/apis/novacron.io/v1alpha1/namespaces/default/virtualmachines';

it.each(['start', 'pause', 'unpause', 'migrate', 'restart', 'stop'])(
  'can %s a novacron.io VM, and wait for completion',
  async (verb) => {
    expect(await harness.run(['vm', verb, 'old', '--wait', '--timeout', '60s'])).toMatchObject({ code: 0 });
    const phase = verb === 'stop' ? 'Stopped' : 'Running';
    const paused = verb === 'pause' ? 'True' : 'False';
    await vi.waitFor(
      async () => {
        const { body } = await harness.admin.request({ method: 'GET', path: `${PATH}/old` });
        const conditions = expect.arrayContaining([
          expect.objectContaining({ type: 'Paused', status: paused }),
        ]) as object;
        expect(body).toMatchObject({ status: { phase, conditions } });
      },
      { timeout: 30_000 },
    );
  },
);

it.each([
  ['unavailable', new KubeError(503, 'ServiceUnavailable', 'service unavailable')],
  ['not registered', new KubeError(404, '', '404 page not found')],
])('gives a hint if the server of subresources is %s', async (_, response) => {
  const request: Client['request'] = (target) =>
    target.path.includes('subresources') ? Promise.reject(response) : harness.admin.request(target);
  const outcome = await runCommand({ ...harness.admin, request }, ['vm', 'start', 'web']);
  expect(outcome).toMatchObject({ code: 1, out: '' });
  expect(outcome.err).toContain(`error: subresources.kubevirt.io is not served: ${response.message}\n`);
  expect(outcome.err).toContain('kubectl get apiservice v1.subresources.kubevirt.io');
});
