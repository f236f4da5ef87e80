import type { Duplex } from 'node:stream';
import { CHANNEL, channelMessage, exitStatus, parseChannelMessage } from './channels.ts';

/** Connects a client to a terminal by the channel protocol. A terminal has no size, so that changes of it are ignored. */
export function attachByChannels(client: Duplex, terminal: Duplex): void {
  client.on('data', (message: Buffer | string) => {
    const { channel, data = Buffer.alloc(0) } = parseChannelMessage(message) ?? {};
    if (channel !== CHANNEL.stdin || data.length === 0 || terminal.writableEnded) return;
    if (terminal.write(data)) return;
    client.pause();
    terminal.once('drain', () => client.resume());
  });
  terminal.on('data', (data: Buffer) => {
    if (client.writableEnded || client.write(channelMessage(CHANNEL.stdout, data))) return;
    terminal.pause();
    client.once('drain', () => terminal.resume());
  });
  terminal.once('end', () => {
    if (!client.writableEnded) client.end(channelMessage(CHANNEL.error, Buffer.from(JSON.stringify(exitStatus(0)))));
  });
  client.on('error', () => undefined).once('close', () => terminal.destroy());
  terminal.on('error', () => client.destroy());
}
