import { describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { IDLE_STARTERS } from '#testing/idle-starters';
import { noStreams } from '#testing/no-streams';
import type { ApiServerSettings } from './apiserver.ts';
import { reportedError } from './failure.ts';
import { vimanaProgram } from './program.ts';
import type { UpSettings } from './up.ts';

/** Returns the settings that a command line requests, or the error that rejects it. */
async function requested(...args: string[]) {
  let err = '';
  const settings: { up?: UpSettings; apiserver?: ApiServerSettings } = {};
  const io = { out: () => {}, err: (text: string) => void (err += text), read: () => '', manifestsAt: () => [] };
  const starters = {
    ...IDLE_STARTERS,
    up: async (up: UpSettings) => void (settings.up = up),
    apiserver: async (apiserver: ApiServerSettings) => void (settings.apiserver = apiserver),
    install: async () => {},
    connect: async () => ({ client: {} as never, namespace: 'default', ...noStreams, close: async () => {} }),
  };
  const signal = new AbortController().signal;
  try {
    await vimanaProgram({ io, version: '0', clock: realClock, signal, starters }).parseAsync(args, { from: 'user' });
    return { code: 0, err, ...settings };
  } catch (error) {
    return { code: reportedError(error, io, { debug: true }), err, ...settings };
  }
}

const line = (text: string) => text.split(' ');

describe('contradicting flags', () => {
  it.each([
    ['up --demo --empty', '--demo and --empty contradict each other.'],
    ['up --demo --dialects novacron', '--demo creates kubevirt.io VMs, but --dialects does not include kubevirt.'],
    ['up --demo --nodes 0', '--demo needs nodes, but --nodes is 0.'],
    ['up --nodes 1000000', '--nodes 1000000: It must be a whole number from 0 to 10000.'],
    ['up --nodes -1', '--nodes -1: It must be a whole number from 0 to 10000.'],
    ['up --vm-short-name hypersdk.io --dialects kubevirt', '--vm-short-name is hypersdk.io, but --dialects does not'],
    ['up --zones 0', '--zones 0: It must be a whole number from 1 to 10000.'],
    [
      'up --node-resources cpu=4,pods=9',
      'cpu, pods must be set with --node-size, for example --node-size 4cpu,pods=9.',
    ],
    ['up --node-labels a=1 --node-labels a=2', '--node-labels a=2: a is set twice.'],
    ['up --node-file x --nodes 3 --zones 2', '--node-file cannot be combined with --nodes, --zones.'],
    ['up --ephemeral --durability relaxed', '--durability cannot be used with --ephemeral'],
    ['up --port 7000 --metrics-port 7000', '--port and --metrics-port are both 7000; each needs its own port.'],
    ['up --port 8081', '--port and --health-port are both 8081; each needs its own port.'],
    ['up --dialects kubevirt,cloud', '--dialects kubevirt,cloud: cloud is not one of kubevirt, hypersdk,'],
    ['up --data-dir= --nodes 1', '--data-dir : It must not be empty.'],
    ['up --node-lost-after 10s', '--node-lost-after 10s: It must be at least 35s'],
    ['up --stage-delay -1s', '--stage-delay -1s: It must not be negative.'],
    ['nodes --print --zones 0', '--zones 0: It must be'],
    ['apiserver --store memory --durability sync', '--durability cannot be used with --store memory'],
    ['apiserver --insecure-remote', '--insecure-remote needs --insecure-http.'],
    ['vm create -f a.yaml --cpus 2 --stopped', '--filename cannot be combined with --cpus, --stopped.'],
    ['vm create web --dry-run --wait', '--wait cannot be used with --dry-run, which stores nothing.'],
    ['vm start web --timeout -5s', '--timeout -5s: It must not be negative.'],
    ['status -o xml', '--output xml: Allowed choices are text, json.'],
  ])('are rejected by name: %s', async (flags, message) => {
    const outcome = await requested(...line(flags));
    expect(outcome).toEqual({ code: 2, err: expect.stringContaining(message) });
  });

  it('do not follow from a value that is rejected', async () => {
    const { code, err } = await requested(...line('up --vm-short-name bogus'));
    expect(code).toBe(2);
    expect(err).toContain('--vm-short-name bogus: Allowed choices are');
    expect(err).not.toContain('--dialects does not include');
  });

  it.each(['up', 'apiserver'] as const)('%s takes a range for Services', async (command) => {
    const flag = '--service-cluster-ip-range';
    const { [command]: settings } = await requested(command, flag, '10.7.0.0/24');
    expect(settings).toMatchObject({ serviceClusterIpRange: '10.7.0.0/24' });
    expect(await requested(command, flag, 'ten')).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${flag} ten`),
    });
  });

  it('are all reported at once', async () => {
    const { code, err } = await requested(...line('up --demo --empty --zones 0 --node-resources cpu=4 --port many'));
    expect(code).toBe(2);
    expect(err.split('\n')).toEqual([
      'error: --zones 0: It must be a whole number from 1 to 10000.',
      '       --node-resources cpu=4: cpu must be set with --node-size, for example --node-size 4cpu.',
      '       --port many: It must be a whole number from 0 to 65535.',
      '       --demo and --empty contradict each other.',
      'See: vimana up --help',
      '',
    ]);
  });
});

describe('the ports of vimana up', () => {
  it.each([
    ['up', [6443, 8080, 8081]],
    ['up --port 0', [0, 0, 0]],
    ['up --port 0 --metrics-port 9100', [0, 9100, 0]],
    ['up --port 0 --metrics-port 8080 --health-port 8081', [0, 8080, 8081]],
    ['up --metrics-port 0', [6443, 0, 8081]],
  ])('are the given ones, or free ones with --port 0: %s', async (flags, ports) => {
    const { up } = await requested(...line(flags));
    expect([up?.port, up?.metricsPort, up?.healthPort]).toEqual(ports);
  });

  it('labels may be given in several flags', async () => {
    const { up } = await requested(...line('up --node-labels a=1,b=2 --node-labels c=3'));
    expect(up?.nodeLabels).toEqual({ a: '1', b: '2', c: '3' });
  });
});
