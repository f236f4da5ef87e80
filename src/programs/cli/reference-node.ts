import { InvalidArgumentError, Option } from 'commander';
import { DEFAULT_NODE, type NodeSize } from '#api/launcher-load';
import { isZero, tryParseQuantity } from '#platform/base/quantity';

/** Returns the flag for the node size that fractional VM sizes refer to where simulated nodes differ. */
export const referenceNodeOption = () =>
  new Option('--reference-node <size>', 'node size that fractional VM sizes refer to, if simulated nodes differ')
    .argParser(referenceNode)
    .default(DEFAULT_NODE, `${DEFAULT_NODE.cpu}cpu,${DEFAULT_NODE.memory}`);

/** Parses `32cpu,128Gi`. */
export function referenceNode(text: string): NodeSize {
  const [, cpu = '', memory = ''] = /^([^,]+?)(?:cpus?|cores?),([^,]+)$/i.exec(text.trim()) ?? [];
  const amounts = [cpu, memory].map((amount) => tryParseQuantity(amount));
  const isBare = /^[0-9.]+$/.test(memory);
  if (isBare || amounts.some((amount) => amount === undefined || isZero(amount) || amount.nano < 0n)) {
    throw new InvalidArgumentError('It must be CPUs and memory, such as 32cpu,128Gi.');
  }
  return { cpu, memory };
}
