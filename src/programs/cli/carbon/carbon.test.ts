import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { runCommand } from '#testing/command-harness';
import { startInMemory } from '#testing/embedded-in-memory';
import { providerServer } from '#vm/carbon/provider-server.fixture';
import { NO_CARBON } from '#vm/carbon/settings';

const TABLE = ['--carbon-provider', 'static', '--carbon-table', 'DE=380,FR=56'];
const nobody = {} as Client;
const carbon = (...args: string[]) => runCommand(nobody, ['carbon', ...args]);

describe('vimana carbon without a cluster', () => {
  it('lists the zones of a provider', async () => {
    expect(await carbon('zones', ...TABLE)).toEqual({ code: 0, err: '', out: 'ZONE   NAME\nDE     DE\nFR     FR\n' });
  });

  it('estimates the emissions of a run described by flags', async () => {
    const { out } = await carbon(
      ...['estimate', ...TABLE, '--zone', 'DE', '--cpus', '10', '--memory', '10Gi', '--load', '1'],
      ...['--duration', '2h', '--carbon-power', 'idle=0,busy=9,memory=1,pue=1', '-o', 'json'],
    );
    expect(JSON.parse(out)).toMatchObject({
      zone: 'DE',
      watts: 100,
      kilowattHours: 0.2,
      now: { intensity: 380, grams: 76 },
      savedGrams: 0,
    });
  });

  it('sends the token to a web provider, and never prints it', async () => {
    const token = 'very-secret';
    const server = await providerServer(({ headers }) =>
      headers['auth-token'] === token ? { body: { DE: { zoneName: 'Germany' } } } : { status: 401, body: {} },
    );
    try {
      const flags = [
        '--carbon-provider',
        'electricity-maps',
        '--carbon-url',
        server.url,
        '--carbon-token-file',
        'token',
      ];
      const requested = ['carbon', 'zones', ...flags];
      const good = await runCommand(nobody, requested, { files: { token: `${token}\n` } });
      expect(good).toMatchObject({ code: 0, out: expect.stringContaining('Germany') });
      const bad = await runCommand(nobody, requested, { files: { token: 'not-this-one' } });
      expect(bad).toMatchObject({ code: 1, err: expect.stringContaining('returned 401') });
      expect(bad.err).not.toContain('not-this-one');
    } finally {
      await server.close();
    }
  });

  it.each([
    [['zones'], 'no carbon intensity provider is set'],
    [['zones', '--carbon-provider', 'file'], '--carbon-provider file needs --carbon-data.'],
    [['zones', '--carbon-provider', 'static'], '--carbon-provider static needs --carbon-table.'],
    [['zones', ...TABLE, '--carbon-data', 'x'], '--carbon-data cannot be used with --carbon-provider static.'],
    [['zones', ...TABLE, '--carbon-url', 'http://x'], '--carbon-url cannot be used with --carbon-provider static.'],
    [['zones', '--carbon-provider', 'electricity-maps', '--carbon-url', 'ftp://x'], 'It must be an address'],
    [['zones', '--carbon-provider', 'static', '--carbon-table', 'DE=much'], 'much is not a number of grams.'],
    [['zones', '--carbon-provider', 'static', '--carbon-table', 'germany=1'], 'It must be a grid zone'],
    [['zones', ...TABLE, '--zone', 'XX'], 'has no zone XX'],
    [['zones', '--carbon-provider', 'file', '--carbon-data', '/nowhere/grid.yaml'], 'cannot read the time series'],
    [['estimate', ...TABLE], 'no grid zone is set'],
    [['estimate', ...TABLE, '--zone', 'DE', '--cpus', '0'], '--cpus 0: It must be a whole number'],
    [['estimate', ...TABLE, '--zone', 'DE', '--memory', 'lots'], '--memory lots: It must be a quantity'],
    [['estimate', ...TABLE, '--zone', 'DE', '--load', '2'], '--load 2: It must be a number from 0 to 1'],
    [['estimate', ...TABLE, '--zone', 'DE', '--duration', '0s'], 'It must be greater than 0.'],
    [['zones', ...TABLE, '--carbon-refresh', '5s'], 'It must be at least 1m'],
    [['zones', ...TABLE, '--carbon-power', 'gpu=3'], 'gpu is not one of idle, busy, memory, pue.'],
    [['zones', ...TABLE, '--carbon-power', 'pue=0.5'], 'The PUE must be at least 1.'],
    [['zones', ...TABLE, '--carbon-zone-map', 'eu-west'], 'It must be pairs such as eu-north-1=SE-SE3.'],
  ])('rejects %s by name', async (args, words) => {
    const { code, err, out } = await carbon(...args);
    expect([code, out]).toEqual([expect.toBeOneOf([1, 2]), '']);
    expect(err).toContain(words);
  });
});

describe('vimana carbon on a cluster', () => {
  let harness: Awaited<ReturnType<typeof startInMemory>>;
  const grid = (grams: number) => ({
    'grid.yaml': JSON.stringify({ zones: { DE: { intensity: [{ at: '00:00', grams }] } } }),
  });
  const metadata = { name: 'vimana-carbon', namespace: 'vimana-system' };
  const ask = (...args: string[]) => runCommand(harness.admin, ['carbon', ...args]);
  const json = async (...args: string[]) => JSON.parse((await ask(...args, '-o', 'json')).out);
  beforeAll(async () => {
    harness = await startInMemory({
      dialects: ['hypersdk'],
      pools: [{ count: 1 }],
      carbon: { ...NO_CARBON, provider: 'config-map' },
    });
  });
  afterAll(() => harness.stop());

  it('shows carbon-aware VMs and what they wait for, then their emissions and savings', async () => {
    expect(await ask('status')).toEqual({ code: 0, out: '', err: 'No carbon-aware VMs found.\n' });
    await harness.admin.create(CONFIG_MAPS, { metadata, data: grid(400) });
    const carbonAware = { enabled: true, maxIntensity: 200, zone: 'DE' };
    for (const [name, spec] of Object.entries({ render: { carbonAware }, plain: {} })) {
      const body = { metadata: { name, namespace: 'default' }, spec: { cpus: 2, memory: '4Gi', ...spec } };
      await harness.admin.create(HYPERSDK_VMS, body);
    }
    await expect
      .poll(() => json('status'))
      .toMatchObject([{ name: 'render', phase: 'Pending', reason: 'WaitingForGreenEnergy', intensity: 400 }]);
    expect((await ask('status')).out).toMatch(/^default +render +Pending +WaitingForGreenEnergy +DE +400 +200 +2/m);
    expect((await ask('zones', '--carbon-provider', 'config-map')).out).toContain('DE     DE');
    expect(await ask('zones')).toEqual({ code: 0, err: '', out: 'ZONE   NAME\nDE     DE\n' });
    const [slot] = await json('zones', '--zone', 'DE');
    expect(slot).toMatchObject({ zone: 'DE', intensity: 400 });
    expect(await ask('zones', '--zone', 'XX')).toMatchObject({
      code: 1,
      err: expect.stringContaining('has no zone XX'),
    });
    expect(await json('estimate', '--zone', 'DE')).toMatchObject({ zone: 'DE', now: { intensity: 400 } });
    await harness.admin.patch(CONFIG_MAPS, metadata.name, { type: 'merge', body: { data: grid(100) } }, metadata);
    await expect.poll(() => json('status')).toMatchObject([{ phase: 'Running', intensity: 100 }]);
    const { machines } = await json('report', '-A');
    expect(machines).toMatchObject([
      { name: 'plain', intensity: null, savedGrams: 0 },
      { name: 'render', zone: 'DE', intensity: 100 },
    ]);
    expect((await ask('report')).out).toMatch(/^default +render +DE +\d+\.\d W +100/m);
    expect((await ask('report')).out).toContain('emitted');
  });
});

it('vimana carbon zones suggests what to do if neither flags nor the server name a provider', async () => {
  const harness = await startInMemory({ dialects: ['hypersdk'], pools: [] });
  try {
    expect(await runCommand(harness.admin, ['carbon', 'zones'])).toEqual({
      code: 2,
      out: '',
      err:
        'error: no carbon intensity provider is set, and the server has none\n' +
        'Set --carbon-provider here or at vimana up, for example to uk-carbon-intensity, or VIMANA_CARBON_PROVIDER.\n',
    });
  } finally {
    await harness.stop();
  }
});
