import { memoize } from '#platform/base/memoize';

/** String formats that Kubernetes checks in a CRD. Any other name is not checked, as there. */

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;
const GO_DURATION = /^[+-]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/;
const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(\\.${OCTET}){3}$`);
const MAC =
  /^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$|^[0-9A-Fa-f]{2}(-[0-9A-Fa-f]{2}){5}$|^[0-9A-Fa-f]{4}(\.[0-9A-Fa-f]{4}){2}$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
// Each letter begins a part of its own, so that a name can be read in one way only and never causes backtracking.
const HOSTNAME = /^(?:[a-zA-Z0-9\u00a1-\uffff]-{0,62}\.?)+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const isDateTime = memoize(1024, (text) => {
  const match = DATE_TIME.exec(text);
  return match?.[1] !== undefined && isDate(match[1]);
});

function isIpv6(text: string): boolean {
  if (text.length > 45 || !text.includes(':')) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1);
  const embedded = last !== undefined && last.includes('.');
  if (embedded && !IPV4.test(last)) return false;
  const plain = embedded ? groups.slice(0, -1) : groups;
  const count = plain.length + (embedded ? 2 : 0);
  return plain.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group)) && (halves.length === 2 ? count < 8 : count === 8);
}

function isCidr(text: string): boolean {
  const slash = text.lastIndexOf('/');
  const bits = text.slice(slash + 1);
  const address = text.slice(0, slash);
  if (slash < 0 || !/^(0|[1-9]\d{0,2})$/.test(bits)) return false;
  return (IPV4.test(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) ? URL.canParse(text) : text.startsWith('/');
}

export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date-time', isDateTime],
  ['datetime', isDateTime],
  ['date', isDate],
  ['duration', (text: string) => GO_DURATION.test(text)],
  ['ipv4', (text: string) => IPV4.test(text)],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', (text: string) => MAC.test(text)],
  ['uuid', (text: string) => UUID.test(text)],
  ['hostname', (text: string) => text.length <= 255 && HOSTNAME.test(text)],
  ['byte', (text: string) => BASE64.test(text)],
  ['uri', isUri],
]);
