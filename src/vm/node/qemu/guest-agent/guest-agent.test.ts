import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import type { GuestInfo } from '../../machine-driver.ts';
import { parseAgentMessage } from './agent-message.ts';
import {
  parseExecState,
  parseFileSystems,
  parseInfo,
  parseInterfaces,
  parseOs,
  parseTimezone,
  parseUsers,
} from './agent-responses.ts';
import { agentText } from './agent-text.ts';
import { type AgentScript, FakeAgent, SILENCE } from './fake-agent.fixture.ts';
import { GuestWatch } from './guest-watch.ts';
import { QemuGuestAgent } from './qemu-guest-agent.ts';

const DEBIAN = { id: 'debian', name: 'Debian', 'pretty-name': 'Debian 12', 'version-id': '12', machine: 'x86_64' };

function agentWith(script: AgentScript, clock = realClock) {
  const channels: FakeAgent[] = [];
  const agent = new QemuGuestAgent({
    clock,
    isOpen: async () => true,
    connect: async () => {
      const channel = new FakeAgent(script);
      channels.push(channel);
      return channel;
    },
  });
  return { agent, channels };
}

describe('a guest agent', () => {
  it('describes its guest', async () => {
    const { agent } = agentWith((command) => {
      if (command === 'guest-get-osinfo') return DEBIAN;
      if (command === 'guest-get-host-name') return { 'host-name': 'web' };
      if (command === 'guest-get-timezone') return '{"error": {"class": "CommandNotFound", "desc": "unknown"}}';
      if (command === 'guest-info')
        return { version: '7.2', supported_commands: [{ name: 'guest-exec', enabled: true }] };
      if (command === 'guest-get-users') return [{ user: 'root', 'login-time': 12.5 }];
      return undefined;
    });
    expect(await agent.report()).toEqual({
      os: { id: 'debian', name: 'Debian', prettyName: 'Debian 12', versionId: '12', machine: 'x86_64' },
      hostname: 'web',
      interfaces: [],
      agentVersion: '7.2',
      supportedCommands: ['guest-exec'],
      fileSystems: [],
      users: [{ userName: 'root', loginTime: 12.5 }],
    });
  });

  it('runs a command, and is asked until it has ended', async () => {
    let asked = 0;
    const { agent, channels } = agentWith((command, args) => {
      if (command === 'guest-exec') {
        expect(args).toEqual({ path: 'cat', arg: ['-'], 'capture-output': true, 'input-data': 'aGk=' });
        return { pid: 7 };
      }
      if (command !== 'guest-exec-status') return undefined;
      return ++asked < 3 ? { exited: false } : { exited: true, exitcode: 4, 'out-data': 'aGk=', 'err-data': 'bm8=' };
    });
    const { signal } = new AbortController();
    const result = await agent.exec({ command: ['cat', '-'], input: Buffer.from('hi'), signal });
    expect({ ...result, stdout: String(result.stdout), stderr: String(result.stderr) }).toMatchObject({
      exitCode: 4,
      stdout: 'hi',
      stderr: 'no',
    });
    expect(channels.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('ignores what an earlier connection requested', async () => {
    const { agent } = agentWith((command, args) =>
      command === 'guest-sync-delimited'
        ? `{"return": "late"}\n{"return": 99}\n\u00FF{"return": ${String(args['id'])}}`
        : { 'host-name': 'web' },
    );
    // The delimiter of the fake precedes late responses, as if two requests had been sent.
    await expect(agent.info()).rejects.toThrow('it responded to another request');
  });

  it('fails in time if it is silent, and is connected again', async () => {
    const clock = new FakeClock();
    let isSilent = true;
    const { agent, channels } = agentWith(() => (isSilent ? SILENCE : undefined), clock);
    const failed = expect(agent.info()).rejects.toThrow('no response to guest-sync-delimited within 10000 ms');
    await clock.advance(10_000);
    await failed;
    isSilent = false;
    await expect(agent.info()).resolves.toBeDefined();
    expect(channels).toHaveLength(2);
  });

  it('fails if a response is too long', async () => {
    const { agent, channels } = agentWith((command) =>
      command === 'guest-get-osinfo' ? `"${'x'.repeat(13 << 20)}"` : undefined,
    );
    await expect(agent.info()).rejects.toThrow('a response is longer than');
    expect(channels[0]?.destroyed).toBe(true);
  });

  it('is not there if nothing has opened its channel', async () => {
    const agent = new QemuGuestAgent({ clock: realClock, isOpen: async () => false, connect: () => expect.fail() });
    await expect(agent.info()).rejects.toThrow('no guest agent is connected');
  });
});

describe('a response of a hostile guest', () => {
  it('is rejected if it is malformed or nested too deeply', () => {
    expect(() => parseAgentMessage('c', '[['.repeat(100_000))).toThrow('nested too deeply');
    for (const line of ['nonsense', '[]', '7', 'null']) expect(() => parseAgentMessage('c', line)).toThrow('malformed');
    expect(() => parseAgentMessage('c', '{"error": {"desc": "no\\u001b[2J"}}')).toThrow('rejected c: no[2J');
    expect(() => parseAgentMessage('c', '{"error": 5}')).toThrow('without a reason');
  });

  it('never throws another error than that of a guest agent', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        try {
          parseAgentMessage('c', line);
        } catch (error) {
          expect((error as Error).name).toBe('GuestAgentError');
        }
      }),
    );
  });

  it('becomes bounded values without control characters, whatever it is', () => {
    const parsers = [parseOs, parseInfo, parseInterfaces, parseFileSystems, parseUsers, parseTimezone, parseExecState];
    const key = fc.constantFrom(
      'name',
      'user',
      'mountpoint',
      'ip-addresses',
      'hardware-address',
      'zone',
      'id',
      'exited',
    );
    const value = fc.anything({ key, maxDepth: 4, withNullPrototype: true });
    fc.assert(
      fc.property(value, (response) => {
        for (const parse of parsers) {
          const text = JSON.stringify(parse(response));
          expect(text.length).toBeLessThan(300_000);
        }
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (given) => {
        const text = agentText(given);
        expect(text.length).toBeLessThanOrEqual(256);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('has only interfaces with a valid MAC and valid addresses', () => {
    const entry = (mac: string, ...ips: string[]) => ({
      name: 'eth0',
      'hardware-address': mac,
      'ip-addresses': ips.map((ip) => ({ 'ip-address': ip })),
    });
    const response = [
      entry('52:54:00:AB:cd:ef', '10.0.0.1', 'fe80::1', '999.1.1.1', '$(reboot)'),
      entry('nonsense', '1.2.3.4'),
    ];
    expect(parseInterfaces(response)).toEqual([
      { name: 'eth0', mac: '52:54:00:ab:cd:ef', addresses: ['10.0.0.1', 'fe80::1'] },
    ]);
    expect(parseInterfaces(Array.from({ length: 1000 }, () => entry('52:54:00:ab:cd:ef')))).toHaveLength(64);
  });
});

describe('what is known of a guest', () => {
  it('follows its guest agent, keeps what a slow one said, and ends with it', async () => {
    const clock = new FakeClock();
    let [isConnected, isRunning, isSlow, changes] = [false, true, false, 0];
    let info: GuestInfo = { os: { id: 'debian', name: '', prettyName: '', machine: '' } };
    const watch = new GuestWatch({
      clock,
      agent: {
        isConnected: async () => isConnected,
        info: async () => {
          if (isSlow) throw new Error('late');
          return info;
        },
      },
      isRunning: () => isRunning,
      onChange: () => changes++,
    });
    const step = async () => {
      watch.refresh();
      await clock.advance(1);
      return [watch.guest?.os.id, changes];
    };
    expect(await step()).toEqual([undefined, 0]);
    isConnected = true;
    expect(await step()).toEqual(['debian', 1]);
    info = { os: { ...info.os, id: 'fedora' } };
    await clock.advance(60_000);
    expect([watch.guest?.os.id, changes]).toEqual(['fedora', 2]);
    isSlow = true;
    expect(await step()).toEqual(['fedora', 2]);
    isRunning = false;
    isConnected = false;
    expect(await step()).toEqual(['fedora', 2]);
    isRunning = true;
    expect(await step()).toEqual([undefined, 3]);
    watch.stop();
  });
});
