import { type Command, InvalidArgumentError } from 'commander';

/** Which simulated nodes there are. */
export interface NodeFlags {
  readonly nodeSize: string;
  readonly nodePrefix: string;
  readonly zones: number;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeResources: Readonly<Record<string, string>>;
  readonly nodeFile?: string;
}

export function nodeFlags(command: Command, countFlag: string): Command {
  return command
    .option(countFlag, 'simulated nodes', wholeNumber, 5)
    .option('--node-size <size>', 'size of a node', '32cpu,128Gi')
    .option('--node-prefix <name>', 'what the names of nodes begin with', 'kwok-node-')
    .option('--zones <count>', 'zones that the nodes are spread over', wholeNumber, 1)
    .option('--node-labels <key=value,...>', 'labels of every node', pairs, {})
    .option('--node-resources <name=amount,...>', 'further resources of every node, as nvidia.com/gpu=1', pairs, {})
    .option('--node-file <file>', 'pools of nodes, instead of the flags above');
}

function pairs(text: string): Record<string, string> {
  const entries = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    if (at <= 0) throw new InvalidArgumentError(`"${pair}" must be name=value.`);
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(entries);
}

function wholeNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
