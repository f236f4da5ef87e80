import { ConfigError } from '#platform/base/errors';
import { compare, formatQuantity, type Quantity, quantityOf, tryParseQuantity } from '#platform/base/quantity';

/** Amounts of a node's resources by name. */
export type NodeResources = Readonly<Record<string, string>>;

const HINT = 'write it as 32cpu,128Gi, and further resources as name=amount: 32cpu,128Gi,pods=250';
const PLAIN: NodeResources = { cpu: '32', memory: '128Gi', pods: '110', 'ephemeral-storage': '1Ti' };

export const DEFAULT_SIZE: NodeResources = PLAIN;

/** Parses a node size such as `32cpu,128Gi`, in any order, with further resources by name. */
export function parseNodeSize(text: string): NodeResources {
  const size: Record<string, string> = {};
  for (const part of text.split(',')) {
    const [name, amount] = readPart(part.trim(), text);
    if (size[name] !== undefined) throw new ConfigError(`"${text}" sets ${name} twice`, { hint: HINT });
    size[name] = formatQuantity(amount);
  }
  return { ...PLAIN, ...size };
}

function readPart(part: string, whole: string): [name: string, amount: Quantity] {
  const named = /^([^=]+)=(.+)$/.exec(part);
  const cpu = /^(.+?)(?:cpus?|cores?)$/i.exec(part);
  const [name, text] = named !== null ? [named[1], named[2]] : cpu !== null ? ['cpu', cpu[1]] : ['memory', part];
  const amount = tryParseQuantity(text ?? '');
  const isBare = named === null && cpu === null && /^[0-9.]+$/.test(part);
  if (amount === undefined || isBare || compare(amount, quantityOf(0)) <= 0) {
    throw new ConfigError(`"${whole}" is not a valid node size: cannot parse "${part}"`, { hint: HINT });
  }
  return [name ?? '', amount];
}
