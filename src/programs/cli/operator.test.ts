import { describe, expect, it } from 'vitest';
import { UsageError } from '#platform/base/errors';
import { bindAddress } from './bind-address.ts';
import { type OperatorFlags, operatorCommand } from './operator.ts';

async function parsed(...args: string[]): Promise<OperatorFlags> {
  let found: OperatorFlags | undefined;
  const command = operatorCommand(async (flags) => {
    found = flags;
  });
  await command
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parseAsync(args, { from: 'user' });
  if (found === undefined) throw new Error('nothing was started');
  return found;
}

describe('the address to listen on', () => {
  it.each([
    [':8080', { port: 8080 }],
    ['0', 'nowhere'],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['[::1]:8081', { host: '::1', port: 8081 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ])('%s is accepted', (text, address) => {
    expect(bindAddress(text)).toEqual(address);
  });

  it.each(['', '8080', ':', ':65536', '::1:80', ':http', 'a b:'])('%j is rejected', (text) => {
    expect(() => bindAddress(text)).toThrow(/HOST:PORT/);
  });
});

describe('vimana operator', () => {
  it('accepts the arguments of the documented Deployment', async () => {
    const flags = await parsed('--leader-elect', '--metrics-bind-addr=:9080', '--health-probe-bind-addr=:9081');
    expect(flags).toMatchObject({ leaderElect: true, metrics: { port: 9080 }, health: { port: 9081 } });
  });

  it('accepts the longer flags for addresses, and disabled ones', async () => {
    const flags = await parsed('--metrics-bind-address=0', '--health-probe-bind-address=127.0.0.1:1');
    expect(flags).toMatchObject({ metrics: 'nowhere', health: { host: '127.0.0.1', port: 1 } });
  });

  it('manages all namespaces and groups by default', async () => {
    const flags = await parsed();
    expect(flags).toMatchObject({ watchNamespace: '', instances: true, webhookPort: 9443, access: {} });
    expect(flags.dialects).toHaveLength(4);
  });

  it.each([
    ['--watch-namespace=a,b', 'one namespace'],
    ['--workers=0', 'whole number'],
    ['--dialects=kubevirt,xen', 'xen'],
    ['--node-lost-after=5s', 'at least 35s'],
    ['--log-format=xml', 'json'],
  ])('rejects %s', async (flag, why) => {
    await expect(parsed(flag)).rejects.toThrow(why);
  });

  it.each([
    [['--metrics-bind-addr=:1', '--metrics-bind-address=:2'], '--metrics-bind-addr and --metrics-bind-address'],
    [['--health-probe-bind-addr=:8080'], 'both use port 8080'],
    [['--webhook-port=0', '--webhook-cert-dir=certs'], '--webhook-cert-dir cannot be used'],
    [['--leader-election-id=x'], '--leader-election-id needs --leader-elect'],
  ])('rejects the contradicting flags %j', async (flags, why) => {
    await expect(parsed(...flags)).rejects.toThrow(why);
  });

  it('accepts the same address twice, and several port 0', async () => {
    await parsed('--metrics-bind-addr=:1', '--metrics-bind-address=:1');
    await parsed('--metrics-bind-addr=:0', '--health-probe-bind-addr=:0', '--webhook-port=0');
  });

  it('reports all errors at once, and exits with 2', async () => {
    const flags = ['--workers=0', '--webhook-port=99999', '--log-level=loud', '--leader-election-id=A b'];
    const refusal = await parsed(...flags).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UsageError);
    for (const flag of flags) expect(String(refusal)).toContain(flag.replace('=', ' '));
    expect(String(refusal)).toContain('needs --leader-elect');
  });
});
