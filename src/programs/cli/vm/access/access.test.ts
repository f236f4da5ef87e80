import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { attachTerminal } from './attach-terminal.ts';
import { listenLocally } from './listen-locally.ts';
import { parsePortMapping } from './port-mapping.ts';
import { scpPath, sshOptions } from './ssh-arguments.ts';

describe('a port mapping', () => {
  it.each([
    ['80', { local: 80, remote: 80 }],
    ['8080:80', { local: 8080, remote: 80 }],
    [':80', { local: 0, remote: 80 }],
  ])('%s is parsed', (text, mapping) => expect(parsePortMapping(text)).toEqual(mapping));

  it.each(['', '0', '80:', 'a:b', '70000', '1:2:3', '-1'])('%j is rejected', (text) => {
    expect(() => parsePortMapping(text)).toThrow(`"${text}" is not a port`);
  });
});

describe('ssh', () => {
  it('connects through the port-forward of this program, whose words are quoted', () => {
    const options = sshOptions({
      program: ['/opt/my node', 'main.ts', 'vimana'],
      connection: ['--kubeconfig', "it's %h"],
      name: 'web',
      namespace: 'shop',
      port: 22,
      identityFile: 'key',
    });
    expect(options).toEqual([
      '-o',
      `ProxyCommand='/opt/my node' 'main.ts' 'vimana' 'vm' 'port-forward' '--kubeconfig' 'it'\\''s %%h' '-n' 'shop' '--stdio' '--' 'web' '22'`,
      '-o',
      'HostKeyAlias=vm.web.shop',
      '-o',
      'StrictHostKeyChecking=accept-new',
      '-i',
      'key',
    ]);
  });

  it.each([
    ['web:/tmp', { vm: 'web', path: '/tmp' }],
    ['admin@web:', { vm: 'web', user: 'admin', path: '' }],
    ['./a:b', { path: './a:b' }],
    ['/tmp/a', { path: '/tmp/a' }],
  ])('copies %s', (text, path) => expect(scpPath(text)).toEqual(path));
});

function terminal() {
  const modes: boolean[] = [];
  const streams = {
    input: new PassThrough(),
    output: new PassThrough(),
    setRaw: (raw: boolean) => void modes.push(raw),
  };
  return { modes, streams };
}

describe('a terminal on a console', () => {
  it('passes every key to the guest until Ctrl-], and is restored', async () => {
    const { modes, streams } = terminal();
    const guest = new PassThrough();
    const attached = attachTerminal(guest, streams, new AbortController().signal);
    streams.input.write('ls\u0003');
    const [echoed] = (await once(streams.output, 'data')) as [Buffer];
    expect(echoed.toString()).toBe('ls\u0003');
    streams.input.write('x\u001Dy');
    expect(await attached).toBe('left');
    expect(modes).toEqual([true, false]);
    expect(guest.destroyed).toBe(true);
  });

  it('is released when the guest ends', async () => {
    const { modes, streams } = terminal();
    const guest = new PassThrough();
    const attached = attachTerminal(guest, streams, new AbortController().signal);
    guest.end('bye');
    expect(await attached).toBe('closed');
    expect(String(streams.output.read())).toBe('bye');
    expect(modes).toEqual([true, false]);
  });
});

describe('a local port', () => {
  it('connects each client to a stream of its own, and survives those that fail', async () => {
    const failures: unknown[] = [];
    let count = 0;
    const open = async () => {
      if (++count === 2) throw new Error('nothing listens there');
      return new PassThrough();
    };
    const listener = await listenLocally({ address: '127.0.0.1', port: 0 }, open, (error) => failures.push(error));
    const talk = async () => {
      const socket = connect(listener.port, '127.0.0.1');
      socket.on('error', () => undefined).write('hello');
      const received = (await socket.take(1).toArray()) as Buffer[];
      socket.destroy();
      return Buffer.concat(received).toString();
    };
    expect([await talk(), await talk(), await talk()]).toEqual(['hello', '', 'hello']);
    expect(failures).toHaveLength(1);
    await listener.close();
  });
});
