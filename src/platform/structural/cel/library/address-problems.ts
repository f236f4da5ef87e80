import { tryParseIp } from '#platform/base/ip';

/** Returns the problem of an invalid address, in the words of Go's net/netip. */
export function addressProblem(text: string): string {
  return `ParseAddr(${JSON.stringify(text)}): ${reason(text)}`;
}

function reason(text: string): string {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === '.') return ipv4Problem(text);
  return mark === ':' ? ipv6Problem(text) : 'unable to parse IP';
}

const at = (text: string, rest: string): string => `${text} (at ${JSON.stringify(rest)})`;

function ipv4Problem(text: string): string {
  const fields = text.split('.');
  let rest = text;
  for (const [i, field] of fields.entries()) {
    const odd = /[^0-9]/.exec(field);
    if (odd !== null) return at('unexpected character', rest.slice(odd.index));
    if (field === '') return at('IPv4 field must have at least one digit', rest === '' ? '' : rest);
    if (/^0[0-9]/.test(field)) return 'IPv4 field has octet with leading zero';
    if (Number(field) > 255) return 'IPv4 field has value >255';
    if (i > 3) return 'IPv4 address too long';
    rest = rest.slice(field.length + 1);
  }
  return fields.length > 4 ? 'IPv4 address too long' : 'IPv4 address too short';
}

function ipv6Problem(text: string): string {
  let rest = text.startsWith('::') ? text.slice(2) : text;
  let fields = 0;
  while (rest !== '') {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (digits === '') return at('each colon-separated field must have at least one digit', rest);
    if (digits.length > 4) return at('each group must have 4 or less digits', rest);
    fields++;
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) return at('unexpected character, want colon', rest);
    if (rest === ':') return at('colon must be followed by more characters', rest);
    rest = rest.startsWith('::') ? rest.slice(2) : rest.slice(1);
  }
  return fields > 8 ? 'trailing garbage after address' : 'address string too short';
}

/** Returns the problem of an invalid block of addresses. */
export function blockProblem(text: string): string {
  const failed = `netip.ParsePrefix(${JSON.stringify(text)}):`;
  const slash = text.lastIndexOf('/');
  if (slash < 0) return `${failed} no '/'`;
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  if (tryParseIp(address) === undefined) return `${failed} ${addressProblem(address)}`;
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(bits)) return `${failed} bad bits after slash: ${JSON.stringify(bits)}`;
  return `${failed} prefix length out of range`;
}
