import type { NodeLoad } from './node-load.ts';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** The lines of one node; `node` and `instance` are its name as a label value, in quotes. */
  readonly lines: (load: NodeLoad, name: string) => string;
}

const gauge = (name: string, help: string, value: (load: NodeLoad) => number): Family => ({
  name,
  type: 'gauge',
  help,
  lines: (load, node) => `${name}{node=${node}} ${value(load)}\n`,
});

const ofInstance = (name: string, type: Family['type'], help: string, value: (load: NodeLoad) => number): Family => ({
  name,
  type,
  help,
  lines: (load, node) => `${name}{instance=${node}} ${value(load)}\n`,
});

const FAMILIES: readonly Family[] = [
  gauge(
    'node_cpu_usage_ratio',
    'CPU that machines use, as a share of the node; above 1 where they want more.',
    (load) => load.cpuUsage,
  ),
  gauge('node_cpu_pressure_psi', 'Share of time in which something waits for CPU.', (load) => load.cpuPressure),
  gauge('node_memory_usage_ratio', 'Memory that machines use, as a share of the node.', (load) => load.memoryUsage),
  gauge(
    'node_memory_pressure_psi',
    'Share of time in which something waits for memory.',
    (load) => load.memoryPressure,
  ),
  gauge('node_vm_count', 'Machines on the node.', (load) => load.vms),
  {
    name: 'node_cpu_seconds_total',
    type: 'counter',
    help: 'Seconds that the CPUs of the node spent in each mode.',
    lines: ({ spent }, node) =>
      `node_cpu_seconds_total{instance=${node},mode="idle"} ${spent.cpuIdle}\nnode_cpu_seconds_total{instance=${node},mode="user"} ${spent.cpuUser}\n`,
  },
  ofInstance(
    'node_pressure_cpu_waiting_seconds_total',
    'counter',
    'Seconds in which something waited for CPU.',
    (load) => load.spent.cpuWaiting,
  ),
  ofInstance(
    'node_pressure_memory_waiting_seconds_total',
    'counter',
    'Seconds in which something waited for memory.',
    (load) => load.spent.memoryWaiting,
  ),
  ofInstance('node_memory_MemAvailable_bytes', 'gauge', 'Memory of the node that nothing uses.', (load) =>
    Math.round(load.memoryBytes * (1 - load.memoryUsage)),
  ),
  ofInstance('node_memory_MemTotal_bytes', 'gauge', 'Memory of the node.', (load) => load.memoryBytes),
  {
    name: 'kube_node_role',
    type: 'gauge',
    help: 'Roles of the node.',
    lines: ({ roles }, node) =>
      roles.map((role) => `kube_node_role{instance=${node},node=${node},role=${quoted(role)}} 1\n`).join(''),
  },
];

/** What Prometheus is told of nodes. */
export function exposition(loads: readonly NodeLoad[]): string {
  const names = loads.map(({ name }) => quoted(name));
  let text = '';
  for (const { name, type, help, lines } of FAMILIES) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (let i = 0; i < loads.length; i++) text += lines(loads[i] as NodeLoad, names[i] as string);
  }
  return text;
}

const quoted = (value: string) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
