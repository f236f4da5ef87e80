import type { NodeLoad, NodeState, SpentTime } from './node-load.ts';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
}

/** Family whose lines only change with the state of a node. `name` is the quoted label value of the node. */
interface Gauge extends Family {
  readonly lines: (state: NodeState, name: string) => string;
}

/** Family whose lines change with time. */
interface Counter extends Family {
  readonly series: readonly { readonly labels: string; readonly value: (spent: SpentTime) => number }[];
}

const gauge = (name: string, label: 'node' | 'instance', help: string, value: (state: NodeState) => number): Gauge => ({
  ...{ name, type: 'gauge', help },
  lines: (state, node) => `${name}{${label}=${node}} ${value(state)}\n`,
});

const RATIOS: readonly Gauge[] = [
  gauge(
    'node_cpu_usage_ratio',
    'node',
    'CPU usage of the VMs as a ratio of the node; above 1 if they demand more.',
    (state) => state.cpuUsage,
  ),
  gauge(
    'node_cpu_pressure_psi',
    'node',
    'Ratio of time in which some task waits for CPU.',
    (state) => state.cpuPressure,
  ),
  gauge(
    'node_memory_usage_ratio',
    'node',
    'Memory usage of the VMs as a ratio of the node.',
    (state) => state.memoryUsage,
  ),
  gauge(
    'node_memory_pressure_psi',
    'node',
    'Ratio of time in which some task waits for memory.',
    (state) => state.memoryPressure,
  ),
  gauge('node_vm_count', 'node', 'VMs on the node.', (state) => state.vms),
];

const COUNTERS: readonly Counter[] = [
  {
    name: 'node_cpu_seconds_total',
    type: 'counter',
    help: 'Seconds that the CPUs of the node spent in each mode.',
    series: [
      { labels: ',mode="idle"', value: ({ cpuIdle }) => cpuIdle },
      { labels: ',mode="user"', value: ({ cpuUser }) => cpuUser },
    ],
  },
  {
    name: 'node_pressure_cpu_waiting_seconds_total',
    type: 'counter',
    help: 'Seconds in which some task waited for CPU.',
    series: [{ labels: '', value: ({ cpuWaiting }) => cpuWaiting }],
  },
  {
    name: 'node_pressure_memory_waiting_seconds_total',
    type: 'counter',
    help: 'Seconds in which some task waited for memory.',
    series: [{ labels: '', value: ({ memoryWaiting }) => memoryWaiting }],
  },
];

const AMOUNTS: readonly Gauge[] = [
  gauge('node_memory_MemAvailable_bytes', 'instance', 'Available memory of the node.', (state) =>
    Math.round(state.memoryBytes * (1 - state.memoryUsage)),
  ),
  gauge('node_memory_MemTotal_bytes', 'instance', 'Total memory of the node.', (state) => state.memoryBytes),
  {
    name: 'kube_node_role',
    type: 'gauge',
    help: 'Roles of the node.',
    lines: ({ roles }, node) =>
      roles.map((role) => `kube_node_role{instance=${node},node=${node},role=${quoteLabel(role)}} 1\n`).join(''),
  },
];

const GAUGES = [...RATIOS, ...AMOUNTS];
/** Number of nodes whose gauges are cached together and rewritten when one of them changes. */
const BLOCK = 128;

/** Cached gauges of some nodes, by family, which are valid for these states. */
interface Block {
  readonly states: readonly NodeState[];
  readonly texts: readonly Buffer[];
}

/** Renders the metrics of nodes for Prometheus, and reuses the text of unchanged nodes. */
export class Exposition {
  #blocks: readonly Block[] = [];

  of(loads: readonly NodeLoad[]): Buffer {
    const count = Math.ceil(loads.length / BLOCK);
    this.#blocks = Array.from({ length: count }, (_, at) =>
      blockOf(loads.slice(at * BLOCK, (at + 1) * BLOCK), this.#blocks[at]),
    );
    const gauges = GAUGES.map((family, at) => [
      headOf(family),
      ...this.#blocks.map(({ texts }) => texts[at] as Buffer),
    ]);
    const counters = Buffer.from(countersOf(loads));
    return Buffer.concat([...gauges.slice(0, RATIOS.length).flat(), counters, ...gauges.slice(RATIOS.length).flat()]);
  }
}

function blockOf(loads: readonly NodeLoad[], known: Block | undefined): Block {
  if (known?.states.length === loads.length && loads.every(({ state }, at) => state === known.states[at])) return known;
  const states = loads.map(({ state }) => state);
  const names = states.map(({ name }) => quoteLabel(name));
  const texts = GAUGES.map(({ lines }) => {
    let text = '';
    for (const [at, state] of states.entries()) text += lines(state, names[at] as string);
    return Buffer.from(text);
  });
  return { states, texts };
}

function countersOf(loads: readonly NodeLoad[]): string {
  const names = loads.map(({ name }) => quoteLabel(name));
  let text = '';
  for (const family of COUNTERS) {
    text += head(family);
    for (let i = 0; i < loads.length; i++) {
      const { spent } = loads[i] as NodeLoad;
      for (const { labels, value } of family.series) {
        text += `${family.name}{instance=${names[i]}${labels}} ${seconds(value(spent))}\n`;
      }
    }
  }
  return text;
}

const headOf = (family: Family) => Buffer.from(head(family));
const head = ({ name, type, help }: Family) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

/** Rounds to microseconds. Nobody measures better, and formatting all digits takes longer than everything else. */
const seconds = (value: number) => Math.round(value * 1e6) / 1e6;

const quoteLabel = (value: string) =>
  `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
