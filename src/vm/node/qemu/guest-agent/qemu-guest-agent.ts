import type { Duplex } from 'node:stream';
import type { Clock } from '#platform/base/clock';
import type { ExecResult } from '#platform/kube/node-runtime';
import {
  type GuestAgent,
  GuestAgentError,
  type GuestCommand,
  type GuestInfo,
  type GuestReport,
} from '../../machine-driver.ts';
import { AgentClient } from './agent-client.ts';
import {
  type ExecState,
  parseExecState,
  parseFileSystems,
  parseFreezeStatus,
  parseHostname,
  parseInfo,
  parseInterfaces,
  parseOs,
  parsePid,
  parseTimezone,
  parseUsers,
} from './agent-responses.ts';

export interface QemuGuestAgentDeps {
  readonly clock: Clock;
  /** Connects to the guest agent, which accepts one client. */
  readonly connect: () => Promise<Duplex>;
  /** Reports whether a guest agent has opened its end of the channel. */
  readonly isOpen: () => Promise<boolean>;
}

/** A command is asked about at first often, and then at most this often. */
const FIRST_POLL_MS = 20;
const MAX_POLL_MS = 500;
/** Freezing waits until all file systems are flushed. */
const FREEZE_TIMEOUT_MS = 60_000;

/** Guest agent of one machine. Each exchange has its own connection, and one follows the other. */
export class QemuGuestAgent implements GuestAgent {
  readonly #deps: QemuGuestAgentDeps;
  #last: Promise<unknown> = Promise.resolve();
  #nextId = 1;

  constructor(deps: QemuGuestAgentDeps) {
    this.#deps = deps;
  }

  async isConnected(): Promise<boolean> {
    return await this.#deps.isOpen();
  }

  /** Returns what the status of an instance shows. */
  async info(): Promise<GuestInfo> {
    return await this.#exchange(async (client) => {
      const os = parseOs(await orNothing(client, 'guest-get-osinfo'));
      const hostname = parseHostname(await orNothing(client, 'guest-get-host-name'));
      const interfaces = parseInterfaces(await orNothing(client, 'guest-network-get-interfaces'));
      return { os, interfaces, ...(hostname === '' ? {} : { hostname }) };
    });
  }

  async report(): Promise<GuestReport> {
    const info = await this.info();
    return await this.#exchange(async (client) => {
      const { version, commands } = parseInfo(await client.execute('guest-info'));
      const timezone = parseTimezone(await orNothing(client, 'guest-get-timezone'));
      const freezeStatus = parseFreezeStatus(await orNothing(client, 'guest-fsfreeze-status'));
      return {
        ...info,
        agentVersion: version,
        supportedCommands: commands,
        fileSystems: parseFileSystems(await orNothing(client, 'guest-get-fsinfo')),
        users: parseUsers(await orNothing(client, 'guest-get-users')),
        ...(timezone === '' ? {} : { timezone }),
        ...(freezeStatus === undefined ? {} : { freezeStatus }),
      };
    });
  }

  async exec({ command, input, signal }: GuestCommand): Promise<ExecResult> {
    const { clock } = this.#deps;
    const [path = '', ...arg] = command;
    const data = input === undefined ? {} : { 'input-data': Buffer.from(input).toString('base64') };
    const started = await this.#exchange((client) =>
      client.execute('guest-exec', { path, arg, 'capture-output': true, ...data }),
    );
    const pid = parsePid(started);
    if (pid === undefined) throw new GuestAgentError('the guest agent did not say which process it started');
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(MAX_POLL_MS, pause * 2)) {
      const state: ExecState = parseExecState(
        await this.#exchange((client) => client.execute('guest-exec-status', { pid })),
      );
      if (state.hasExited) return state;
      await clock.sleep(pause, signal);
      signal.throwIfAborted();
    }
  }

  async freeze(): Promise<void> {
    await this.#exchange((client) => client.execute('guest-fsfreeze-freeze', undefined, FREEZE_TIMEOUT_MS));
  }

  async thaw(): Promise<void> {
    await this.#exchange((client) => client.execute('guest-fsfreeze-thaw', undefined, FREEZE_TIMEOUT_MS));
  }

  /** Runs commands on a connection of their own, after the exchanges before. */
  async #exchange<T>(run: (client: AgentClient) => Promise<T>): Promise<T> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    await before;
    try {
      if (!(await this.#deps.isOpen())) throw new GuestAgentError('no guest agent is connected');
      const client = new AgentClient(await this.#deps.connect(), this.#deps.clock);
      try {
        await client.sync(this.#nextId++);
        return await run(client);
      } finally {
        client.close();
      }
    } finally {
      turn.resolve();
    }
  }
}

/** Executes a query that a guest agent may not have. A broken connection fails all the same. */
async function orNothing(client: AgentClient, command: string): Promise<unknown> {
  try {
    return await client.execute(command);
  } catch (error) {
    if (error instanceof GuestAgentError && error.message.startsWith('the guest agent rejected')) return undefined;
    throw error;
  }
}
