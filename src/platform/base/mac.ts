import { ParseError } from './errors.ts';

/**
 * Parses an Ethernet address (six bytes, separated by ':' or '-') to its canonical form: lower case, separated by ':'.
 */
export function parseMac(text: string): string {
  const mac = tryParseMac(text);
  if (mac === undefined) {
    throw new ParseError(`"${text}" is not a MAC address`, {
      hint: 'write six bytes in hexadecimal: 02:00:00:12:34:56',
    });
  }
  return mac;
}

/** Parses an Ethernet address, or returns undefined if the text is not one. */
export function tryParseMac(text: string): string | undefined {
  return /^[0-9a-f]{2}(?:(:[0-9a-f]{2}){5}|(-[0-9a-f]{2}){5})$/i.test(text)
    ? text.toLowerCase().replaceAll('-', ':')
    : undefined;
}

/** Reports whether the address is for a group of hosts. No network interface may have such an address. */
export function isMulticastMac(mac: string): boolean {
  return (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;
}
