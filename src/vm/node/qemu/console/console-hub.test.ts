import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConsoleHub } from './console-hub.ts';
import { RecentBytes } from './recent-bytes.ts';
import { replayable, withoutOverlap } from './replay.ts';

/** Serial socket of a guest, whose other end the test holds. */
class FakeSocket extends Duplex {
  readonly typed: string[] = [];
  override _read(): void {
    // The test pushes.
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.typed.push(chunk.toString());
    done();
  }
}

function newHub(log = '') {
  const sockets: FakeSocket[] = [];
  const hub = new ConsoleHub({
    connect: async () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    readLog: async (maxBytes) => Buffer.from(log).subarray(-maxBytes),
  });
  const socket = () => sockets.at(-1) as FakeSocket;
  return { hub, sockets, socket };
}

function collect(session: Duplex): () => string {
  let text = '';
  session.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}

describe('the console of a machine', () => {
  it('is one connection, which all sessions read', async () => {
    const { hub, sockets, socket } = newHub('login: ');
    const [a, b] = [await hub.open({ input: true }), await hub.open({ input: false })];
    const read = [collect(a), collect(b)];
    socket().push('hello');
    await settle();
    expect(read.map((text) => text())).toEqual(['login: hello', 'login: hello']);
    const late = collect(await hub.open({ input: false }));
    await settle();
    expect(late()).toBe('login: hello');
    expect(sockets).toHaveLength(1);
  });

  it('lets the session type that was opened last, and tells the others', async () => {
    const { hub, socket } = newHub();
    const first = await hub.open({ input: true });
    const reader = await hub.open({ input: false });
    const told = collect(first);
    first.write('a');
    reader.write('b');
    const second = await hub.open({ input: true });
    first.write('c');
    second.write('d');
    await settle();
    expect(socket().typed).toEqual(['a', 'd']);
    expect(told()).toContain('another session has taken over the input');
    second.destroy();
    await settle();
    first.write('e');
    await settle();
    expect(socket().typed).toEqual(['a', 'd', 'e']);
    expect(told()).toContain('this session has the input again');
  });

  it('is released with its last session, and connected again for the next', async () => {
    const { hub, sockets, socket } = newHub();
    const [a, b] = [await hub.open({ input: true }), await hub.open({ input: true })];
    a.destroy();
    await settle();
    expect(socket().destroyed).toBe(false);
    b.destroy();
    await settle();
    expect(socket().destroyed).toBe(true);
    await hub.open({ input: true });
    expect(sockets).toHaveLength(2);
  });

  it('ends all sessions with the machine, after their output', async () => {
    const { hub, socket } = newHub();
    const session = await hub.open({ input: true });
    const text = collect(session);
    socket().push('bye');
    socket().push(null);
    await once(session, 'end');
    expect(text()).toBe('bye');
  });

  it('has bounded memory for a reader that does not read, and tells it what it missed', async () => {
    const { hub, socket } = newHub();
    const slow = await hub.open({ input: false });
    const quick = collect(await hub.open({ input: false }));
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 512; i++) {
      socket().push(Buffer.alloc(65_536, 'x'));
      await setImmediate();
    }
    expect(quick().length).toBe(512 * 65_536);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(48 << 20);
    const text = collect(slow);
    await settle();
    expect(text()).toMatch(/bytes of output skipped/);
    expect(text().length).toBeLessThan(512 * 1024);
  });

  it('fails to open if the machine has no console, and can be opened later', async () => {
    let works = false;
    const hub = new ConsoleHub({
      connect: async () => {
        if (!works) throw new Error('no socket');
        return new FakeSocket();
      },
      readLog: async () => Buffer.alloc(0),
    });
    await expect(hub.open({ input: true })).rejects.toThrow('no socket');
    works = true;
    await expect(hub.open({ input: true })).resolves.toBeDefined();
  });
});

describe('what a new session sees first', () => {
  it('has no request that a terminal would answer', () => {
    const output = Buffer.from('\u001B[6n\u001B[1mroot\u001B[0m# \u001B[c\u001B[>0c\u001B[?25h\u001B]11;?\u0007');
    expect(replayable(output, true).toString()).toBe('\u001B[1mroot\u001B[0m# \u001B[?25h');
    expect(replayable(Buffer.from('rest of a line\nnext'), false).toString()).toBe('next');
  });

  it('is the log and what was received, without what is in both', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 20 });
    fc.assert(
      fc.property(text, text, text, (before, both, after) => {
        const log = Buffer.from(before + both);
        const received = Buffer.from(both + after);
        const rest = withoutOverlap(log, received);
        // It removes at least what is in both, and only something that the log ends and the received begins with.
        const removed = log.subarray(rest.length);
        expect(removed.length).toBeGreaterThanOrEqual(both.length);
        expect(received.subarray(0, removed.length).equals(removed)).toBe(true);
      }),
    );
  });

  it('is at most as long as the limit', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 });
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 64 }), (given, limit) => {
        const recent = new RecentBytes(limit);
        for (const chunk of given) recent.push(Buffer.from(chunk));
        expect(recent.bytes()).toEqual(Buffer.concat(given).subarray(-limit));
      }),
    );
  });
});
