import { isIP } from 'node:net';
import type { GuestFileSystem, GuestInterface, GuestOs, GuestUser } from '../../machine-driver.ts';
import { agentText } from './agent-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** More entries of a list are left out. */
const MAX_ENTRIES = 64;
const MAX_COMMANDS = 256;

/** Functions here accept any response, and return the part of it that makes sense. */
export function parseOs(response: unknown): GuestOs {
  const fields = fieldsOf(response);
  const text = (name: string) => agentText(fields[name]);
  const optional = (key: string, name: string) => (text(name) === '' ? {} : { [key]: text(name) });
  return {
    id: text('id'),
    name: text('name'),
    prettyName: text('pretty-name'),
    machine: text('machine'),
    ...optional('version', 'version'),
    ...optional('versionId', 'version-id'),
    ...optional('kernelRelease', 'kernel-release'),
    ...optional('kernelVersion', 'kernel-version'),
  };
}

/** Returns the version of the guest agent, and the commands that it accepts. */
export function parseInfo(response: unknown): { readonly version: string; readonly commands: readonly string[] } {
  const fields = fieldsOf(response);
  const commands = listOf(fields['supported_commands'], MAX_COMMANDS).flatMap((each) => {
    const { name, enabled } = fieldsOf(each);
    return enabled === true && agentText(name) !== '' ? [agentText(name)] : [];
  });
  return { version: agentText(fields['version']), commands };
}

/** Returns the interfaces except the loopback one, with valid addresses only. */
export function parseInterfaces(response: unknown): readonly GuestInterface[] {
  return listOf(response).flatMap((each) => {
    const fields = fieldsOf(each);
    const name = agentText(fields['name'], 32);
    const mac = agentText(fields['hardware-address']).toLowerCase();
    if (name === '' || name === 'lo' || !/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(mac)) return [];
    const addresses = listOf(fields['ip-addresses']).flatMap((entry) => {
      const address = agentText(fieldsOf(entry)['ip-address'], 45);
      return isIP(address) === 0 ? [] : [address];
    });
    return [{ name, mac, addresses }];
  });
}

export function parseFileSystems(response: unknown): readonly GuestFileSystem[] {
  return listOf(response).flatMap((each) => {
    const fields = fieldsOf(each);
    const mountPoint = agentText(fields['mountpoint'], 1024);
    if (mountPoint === '') return [];
    const size = (name: string) => wholeNumber(fields[name]) ?? 0;
    return [
      {
        diskName: agentText(fields['name']),
        mountPoint,
        fileSystemType: agentText(fields['type'], 32),
        usedBytes: size('used-bytes'),
        totalBytes: size('total-bytes'),
      },
    ];
  });
}

export function parseUsers(response: unknown): readonly GuestUser[] {
  return listOf(response).flatMap((each) => {
    const fields = fieldsOf(each);
    const userName = agentText(fields['user']);
    const domain = agentText(fields['domain']);
    const at = fields['login-time'];
    const loginTime = typeof at === 'number' && Number.isFinite(at) && at >= 0 ? at : undefined;
    if (userName === '') return [];
    return [{ userName, ...(domain === '' ? {} : { domain }), ...(loginTime === undefined ? {} : { loginTime }) }];
  });
}

export function parseHostname(response: unknown): string {
  return agentText(fieldsOf(response)['host-name'], 253);
}

export function parseTimezone(response: unknown): string {
  const { zone, offset } = fieldsOf(response);
  const seconds = typeof offset === 'number' && Number.isSafeInteger(offset) ? `, ${offset}` : '';
  return agentText(zone, 64) === '' ? '' : `${agentText(zone, 64)}${seconds}`;
}

export function parseFreezeStatus(response: unknown): 'thawed' | 'frozen' | undefined {
  return response === 'thawed' || response === 'frozen' ? response : undefined;
}

/** Returns the process ID that guest-exec reports. */
export function parsePid(response: unknown): number | undefined {
  return wholeNumber(fieldsOf(response)['pid']);
}

export interface ExecState {
  readonly hasExited: boolean;
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** A signal ends a command with this and its number, as in a shell. */
const SIGNAL_BASE = 128;
const NO_EXIT_CODE = 255;

export function parseExecState(response: unknown): ExecState {
  const fields = fieldsOf(response);
  const signal = wholeNumber(fields['signal']);
  const bytes = (name: string) => {
    const value = fields[name];
    return Buffer.from(typeof value === 'string' ? value : '', 'base64');
  };
  return {
    hasExited: fields['exited'] === true,
    exitCode: wholeNumber(fields['exitcode']) ?? (signal === undefined ? NO_EXIT_CODE : SIGNAL_BASE + signal),
    stdout: bytes('out-data'),
    stderr: bytes('err-data'),
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function listOf(value: unknown, max = MAX_ENTRIES): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, max) : [];
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
