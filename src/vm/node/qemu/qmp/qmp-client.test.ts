import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { WAIT } from '#testing/wait';
import { QmpClient, type QmpEvent } from './qmp-client.ts';
import { QmpConnectionError, QmpError } from './qmp-error.ts';

interface Command {
  readonly execute: string;
  readonly arguments?: unknown;
  readonly id: number;
}

/** QEMU's side of a connection, which answers as the test says. */
async function connect(respond: (command: Command) => readonly object[] = () => []) {
  const [toClient, toQemu] = [new PassThrough(), new PassThrough()];
  const clock = new FakeClock();
  const events: QmpEvent[] = [];
  const onClose = vi.fn();
  const send = (message: object | string) =>
    toClient.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\r\n`);
  toQemu.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split('\n')) {
      const command = JSON.parse(line) as Command;
      const answers = command.execute === 'qmp_capabilities' ? [{ return: {}, id: command.id }] : respond(command);
      for (const answer of answers) send(answer);
    }
  });
  send({ QMP: { version: {}, capabilities: [] } });
  const streams = { readable: toClient, writable: toQemu };
  const client = await QmpClient.open(streams, { clock, onEvent: (event) => events.push(event), onClose });
  return { client, clock, events, onClose, send, toClient };
}

describe('QMP', () => {
  it('returns results by id, whatever their order', async () => {
    const held: object[] = [];
    const { client, send } = await connect(({ id, execute }) => {
      held.unshift({ return: execute, id });
      return [];
    });
    const results = Promise.all([client.execute('first'), client.execute('second')]);
    await vi.waitUntil(() => held.length === 2, WAIT);
    for (const answer of held) send(answer);
    expect(await results).toEqual(['first', 'second']);
  });

  it('passes arguments, and reports an error with its class and command', async () => {
    const { client } = await connect(({ id, arguments: given }) => [
      { error: { class: 'DeviceNotFound', desc: `no ${JSON.stringify(given)}` }, id },
    ]);
    const error = await client.execute('eject', { id: 'cd' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QmpError);
    expect(error).toMatchObject({ qmpClass: 'DeviceNotFound', message: 'QEMU rejected eject: no {"id":"cd"}' });
  });

  it('reports events between results', async () => {
    const { client, events } = await connect(({ id }) => [
      { event: 'STOP', data: { a: 1 } },
      { return: {}, id },
    ]);
    await client.execute('stop');
    expect(events).toEqual([{ event: 'STOP', data: { a: 1 } }]);
  });

  it('gives up on a command after its time, and ignores its late result', async () => {
    const { client, clock, send } = await connect(({ execute, id }) => (execute === 'fast' ? [{ return: 1, id }] : []));
    const slow = client.execute('slow', undefined, 1_000).catch((reason: unknown) => reason);
    await clock.advance(1_000);
    expect(await slow).toBeInstanceOf(QmpConnectionError);
    send({ return: {}, id: 2 });
    expect(await client.execute('fast')).toBe(1);
  });

  it.each([
    ['the connection ends', (qemu: PassThrough) => void qemu.destroy()],
    ['QEMU sends something else than JSON', (qemu: PassThrough) => void qemu.write('hello\n')],
  ])('rejects pending and further commands when %s', async (_what, act) => {
    const { client, onClose, toClient } = await connect();
    const pending = client.execute('query-status').catch((reason: unknown) => reason);
    act(toClient);
    expect(await pending).toBeInstanceOf(QmpConnectionError);
    await expect(client.execute('query-status')).rejects.toBeInstanceOf(QmpConnectionError);
    expect(onClose).toHaveBeenCalledTimes(1);
  });
});
