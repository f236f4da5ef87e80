import type { Duplex } from 'node:stream';
import { ConsoleSession } from './console-session.ts';
import { RecentBytes } from './recent-bytes.ts';
import { replayable, withoutOverlap } from './replay.ts';

export interface ConsoleHubDeps {
  /** Connects to the console, which accepts one client. */
  readonly connect: () => Promise<Duplex>;
  /** Returns the last bytes, at most as many as given, that the guest printed before. */
  readonly readLog: (maxBytes: number) => Promise<Buffer>;
}

/** Connection to the console, shared by its sessions. */
interface ConsoleLink {
  readonly socket: Duplex;
  readonly recent: RecentBytes;
  readonly sessions: ConsoleSession[];
}

/** Output that a new session sees first. */
const REPLAY_BYTES = 32 * 1024;

/**
 * Shares the console of one machine between many sessions, since QEMU accepts one client. All sessions read. One of
 * them types: the one that was opened last, until it ends. The connection exists while there is a session.
 */
export class ConsoleHub {
  readonly #deps: ConsoleHubDeps;
  #link: Promise<ConsoleLink> | undefined;
  /** Sessions that are open or about to be. */
  #users = 0;

  constructor(deps: ConsoleHubDeps) {
    this.#deps = deps;
  }

  /** Opens a session. It begins with the last output of the guest, without requests to the terminal. */
  async open({ input }: { readonly input: boolean }): Promise<Duplex> {
    this.#users++;
    try {
      const link = await (this.#link ??= this.#connect());
      return this.#join(link, input);
    } catch (error) {
      this.#users--;
      throw error;
    }
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    const link = await this.#link?.catch(() => undefined);
    link?.socket.destroy();
  }

  async #connect(): Promise<ConsoleLink> {
    let socket: Duplex | undefined;
    try {
      socket = await this.#deps.connect();
      return await this.#follow(socket);
    } catch (error) {
      this.#link = undefined;
      socket?.destroy();
      throw error;
    }
  }

  async #follow(socket: Duplex): Promise<ConsoleLink> {
    const link: ConsoleLink = { socket, recent: new RecentBytes(REPLAY_BYTES), sessions: [] };
    let early: Buffer[] | undefined = [];
    socket.on('data', (chunk: Buffer) => {
      if (early !== undefined) return void early.push(chunk);
      link.recent.push(chunk);
      for (const session of link.sessions) session.offer(chunk);
    });
    socket.on('error', () => undefined).once('end', () => socket.destroy());
    socket.once('close', () => this.#end(link));
    // The log is read once output is received, so that nothing between the two is lost.
    const log = await this.#deps.readLog(REPLAY_BYTES);
    const received = Buffer.concat(early);
    early = undefined;
    link.recent.push(withoutOverlap(log, received));
    link.recent.push(received);
    if (socket.destroyed) throw new Error('the console has ended');
    return link;
  }

  #join(link: ConsoleLink, input: boolean): ConsoleSession {
    const session = new ConsoleSession({
      input,
      type: (typing, bytes, done) => {
        // What others type is dropped, so that two users do not mix their lines.
        if (typing === writerOf(link)) link.socket.write(bytes, done);
        else done();
      },
      onClose: () => this.#leave(link, session),
    });
    const before = input ? writerOf(link) : undefined;
    const recent = link.recent.bytes();
    const replay = replayable(recent, recent.length < REPLAY_BYTES);
    if (replay.length > 0) session.offer(replay);
    link.sessions.push(session);
    before?.notify('another session has taken over the input');
    if (link.socket.destroyed) session.finish();
    return session;
  }

  #leave(link: ConsoleLink, session: ConsoleSession): void {
    const wasWriter = writerOf(link) === session;
    const place = link.sessions.indexOf(session);
    if (place >= 0) link.sessions.splice(place, 1);
    this.#users--;
    if (wasWriter) writerOf(link)?.notify('this session has the input again');
    if (this.#users > 0) return;
    this.#link = undefined;
    link.socket.destroy();
  }

  #end(link: ConsoleLink): void {
    this.#link = undefined;
    for (const session of [...link.sessions]) session.finish();
  }
}

function writerOf({ sessions }: ConsoleLink): ConsoleSession | undefined {
  return sessions.findLast(({ input }) => input);
}
