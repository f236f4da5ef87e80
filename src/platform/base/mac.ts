import { ParseError } from './errors.ts';

/** Reads an Ethernet address (six bytes, parted by ':' or '-') to its one form: lower case, parted by ':'. */
export function parseMac(text: string): string {
  const mac = tryParseMac(text);
  if (mac === undefined) {
    throw new ParseError(`"${text}" is not a MAC address`, {
      hint: 'write six bytes in hexadecimal: 02:00:00:12:34:56',
    });
  }
  return mac;
}

/** Reads an Ethernet address, or returns undefined where the text is none. */
export function tryParseMac(text: string): string | undefined {
  return /^[0-9a-f]{2}(?:(:[0-9a-f]{2}){5}|(-[0-9a-f]{2}){5})$/i.test(text)
    ? text.toLowerCase().replaceAll('-', ':')
    : undefined;
}

/** Whether the address is for a group of hosts; no network card may have such a one. */
export function isMulticastMac(mac: string): boolean {
  return (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;
}
