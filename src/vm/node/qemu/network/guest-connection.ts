import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Clock } from '#platform/base/clock';
import { GuestConnectionError } from '../../machine-driver.ts';
import type { Isolation } from '../isolation/isolation.ts';
import { PROGRAM_PATH } from '../keeper/spawn-keeper.ts';
import { enterNamespace, openNamespaces } from './enter-namespace.ts';
import { RELAY } from './relay-script.ts';
import { type ForwardCommands, type ForwardEndpoint, isEstablished } from './usernet.ts';

const POLL_MS = 10;
const MAX_POLL_MS = 200;

export interface GuestConnectionOptions {
  readonly id: string;
  readonly port: number;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly pid: number;
  readonly uid: number | undefined;
  readonly user: Isolation['user'];
  /** Endpoint in the namespace that is used for nothing else. */
  readonly at: ForwardEndpoint;
  readonly forward: ForwardCommands;
  /** Reports whether the process is still QEMU of this machine. */
  readonly isQemu: () => Promise<boolean>;
  /** Runs a command of QEMU's human monitor, and returns what it prints. */
  readonly monitor: (command: string) => Promise<string>;
}

/**
 * Connects to a TCP port of a guest. QEMU listens for it in the namespace of the machine, and a process there connects.
 * QEMU accepts at once, so that it is asked when the guest has accepted.
 */
export async function connectToGuest(options: GuestConnectionOptions): Promise<Duplex> {
  const { id, port, monitor, forward } = options;
  const failure = await monitor(forward.add);
  if (failure !== '') throw new GuestConnectionError(id, port, failure.trim());
  let child: ChildProcess | undefined;
  try {
    child = await spawnRelay(options);
    if (!(await isConnected(child))) throw new GuestConnectionError(id, port, 'QEMU does not forward it');
    await waitForGuest(child, options);
    return streamOf(child);
  } catch (error) {
    child?.kill('SIGKILL');
    throw error;
  } finally {
    // The connection stays, and nothing else can be made. QEMU may have ended by now.
    await monitor(forward.remove).catch(() => undefined);
  }
}

async function spawnRelay({ id, port, pid, uid, user, at, isQemu }: GuestConnectionOptions): Promise<ChildProcess> {
  const { net, user: owner } = await openNamespaces(pid);
  try {
    // The namespaces are open by now: if the process is QEMU still, they are its own.
    if (!(await isQemu())) throw new GuestConnectionError(id, port, 'it has ended');
    const relay = ['perl', '-e', RELAY, '--', at.address, `${at.port}`];
    const [file = '', ...args] = [...enterNamespace(user, uid), ...relay];
    const child = spawn(file, args, {
      stdio: ['pipe', 'pipe', 'ignore', 'pipe', net.fd, owner.fd],
      env: { PATH: PROGRAM_PATH },
    });
    await once(child, 'spawn');
    return child;
  } finally {
    await net.close();
    await owner.close();
  }
}

/** Reports whether the relay has connected to QEMU. Otherwise it ends without a word. */
async function isConnected(child: ChildProcess): Promise<boolean> {
  return (await text(child.stdio[3] as Readable)) !== '';
}

async function waitForGuest(child: ChildProcess, options: GuestConnectionOptions): Promise<void> {
  const { id, port, at, clock, timeoutMs, monitor } = options;
  const end = clock.monotonic() + timeoutMs;
  using incoming = new IncomingData(child.stdout as Readable);
  for (let pause = POLL_MS; ; pause = Math.min(pause * 2, MAX_POLL_MS)) {
    // A guest may send and close before QEMU is asked, so that data counts as well.
    if (incoming.hasData || isEstablished(await monitor('info usernet'), at)) return;
    if (incoming.hasEnded) throw new GuestConnectionError(id, port, 'connection refused');
    if (clock.monotonic() >= end) throw new GuestConnectionError(id, port, 'timed out');
    await clock.sleep(pause);
  }
}

/** Observes a stream without consuming its data. */
class IncomingData implements Disposable {
  readonly #stream: Readable;
  #hasEnded = false;
  readonly #onReadable = () => {
    // Reading an empty stream consumes nothing, and makes it report its end.
    if (this.#stream.readableLength === 0) this.#stream.read();
  };
  readonly #onEnd = () => {
    this.#hasEnded = true;
  };

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on('readable', this.#onReadable).on('end', this.#onEnd);
  }

  get hasData(): boolean {
    return this.#stream.readableLength > 0;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  [Symbol.dispose](): void {
    this.#stream.off('readable', this.#onReadable).off('end', this.#onEnd);
  }
}

function streamOf(child: ChildProcess): Duplex {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the relay has no pipes');
  const stream = Duplex.from({ readable: stdout, writable: stdin } as unknown as Parameters<typeof Duplex.from>[0]);
  stream.once('close', () => child.kill('SIGKILL'));
  return stream;
}
