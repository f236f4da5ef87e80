import type { Vm } from '#fleet/library/simulated-vm';
import { readScenarios } from '#fleet/rebalance/read-scenarios';
import { REFERENCE_NODE } from '#fleet/rebalance/scenario';
import { child, type FieldError, index, invalid, required, tooLong } from '#platform/base/field-error';
import { dns1123SubdomainProblems } from '#platform/base/names';
import { type FleetSpec, type NodeSpec, RejectedError } from './fleet-backend.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Name of a scenario without one. */
const UNNAMED = 'scenario';
/** Maximum length of a VM name, which is used as a label value. */
const MAX_ID_LENGTH = 63;
const MIN_MEMORY = 2 ** 20;
/** Maximum memory of a VM, which still fits into a quantity. */
const MAX_MEMORY = 2 ** 50;
const MIN_CORES = 0.001;
const MAX_CORES = 1_000_000;

/**
 * Parses a list of nodes, `{"nodes": [...]}`, or a file of several scenarios with the name of one. Problems are
 * returned with what could be parsed, so that a fleet can report its own as well; throws a RejectedError if it is
 * unclear which scenario is meant.
 */
export function readFleetSpec(
  body: unknown,
  desired: string | undefined,
  isNode: (name: string) => boolean = () => false,
): Required<FleetSpec> {
  const { file, path } = fileOf(body);
  const { scenarios, causes: found } = readScenarios(file, isNode);
  const causes = found.map((cause) => ({ ...cause, field: fieldPath(cause.field, path) }));
  const names = scenarios.map(({ name }) => name);
  if (names.length === 0) throw new RejectedError(causes);
  const name = desired ?? names[0] ?? '';
  const scenario = path === undefined ? scenarios.find((each) => each.name === name) : scenarios[0];
  if (scenario === undefined) {
    throw new RejectedError([invalid('name', name, `must be one of ${names.join(', ')}`), ...causes]);
  }
  if (desired === undefined && path === undefined && names.length > 1) {
    const which = required('name', `there are several scenarios: ${names.join(', ')}; choose one with ?name=${name}`);
    throw new RejectedError([which, ...causes]);
  }
  const written = (file as Fields)[scenario.name];
  const nodes = placedNodes(written, path ?? scenario.name, new Map(scenario.nodes.map((node) => [node.name, node])));
  const known = new Set(causes.map(({ field }) => field));
  const problems = nodes
    .flatMap(({ vms }) => vms.flatMap(({ path: field, vm }) => problemsOf(field, vm)))
    .filter(({ field }) => !known.has(field));
  return { name: scenario.name, nodes, causes: [...causes, ...problems] };
}

/** Returns the nodes that can be parsed, with the VMs on them. */
function placedNodes(written: unknown, at: string, sizes: ReadonlyMap<string, NodeAmounts>): NodeSpec[] {
  const nodes = listedObjects(written, 'name').map(({ fields, i, name }) => ({ fields, name, path: index(at, i) }));
  const homes = new Set(nodes.map(({ name }) => name));
  const vms = nodes.flatMap(({ fields, name: home, path }) =>
    listedObjects(fields['vms'], 'id').map(({ fields: vm, i }) => {
      // A scheduled_node takes precedence over the node that lists the VM.
      const said = vm['scheduled_node'];
      const node = typeof said === 'string' && homes.has(said) ? said : home;
      return { node, path: index(child(path, 'vms'), i), vm: vmOf(vm) };
    }),
  );
  const byNode = Map.groupBy(vms, ({ node }) => node);
  return nodes.map(({ name, path }) => {
    const { cpuCores, memoryBytes } = sizes.get(name) ?? REFERENCE_NODE;
    return { name, path: child(path, 'name'), cpuCores, memoryBytes, vms: byNode.get(name) ?? [] };
  });
}

type NodeAmounts = Pick<NodeSpec, 'cpuCores' | 'memoryBytes'>;

/** Returns the named objects of a list, with their index. */
function listedObjects(
  list: unknown,
  by: string,
): { readonly fields: Fields; readonly name: string; readonly i: number }[] {
  return (Array.isArray(list) ? (list as readonly unknown[]) : []).flatMap((each, i) => {
    const fields = typeof each === 'object' && each !== null ? (each as Fields) : {};
    const name = fields[by];
    return typeof name === 'string' && name !== '' ? [{ fields, name, i }] : [];
  });
}

/** Converts the body to a file of scenarios, with the path of its nodes, unless it already is one. */
function fileOf(body: unknown): { readonly file: unknown; readonly path?: string } {
  if (Array.isArray(body)) return { file: { [UNNAMED]: body }, path: '' };
  const nodes = typeof body === 'object' && body !== null ? (body as Fields)['nodes'] : undefined;
  const only = nodes !== undefined && Object.keys(body as Fields).length === 1;
  return only ? { file: { [UNNAMED]: nodes }, path: 'nodes' } : { file: body };
}

function fieldPath(field: string, path: string | undefined): string {
  if (path === undefined || !field.startsWith(UNNAMED)) return field;
  return `${path}${field.slice(UNNAMED.length)}`;
}

function vmOf(fields: Fields): Vm {
  const of = (name: string) => fields[name] as number;
  const id = fields['id'] as string;
  if (fields['cpu_consumption'] !== undefined) {
    return { id, cpuConsumption: of('cpu_consumption'), memoryConsumption: of('memory_consumption') };
  }
  return {
    id,
    cpuCores: of('cpu_cores'),
    memoryBytes: of('memory_bytes'),
    cpuUtilization: of('cpu_utilization'),
    memoryUtilization: of('memory_utilization'),
  };
}

/** Returns the problems that make a VM impossible in a cluster. */
function problemsOf(path: string, vm: Vm): FieldError[] {
  const at = child(path, 'id');
  return [
    ...dns1123SubdomainProblems(vm.id).map((problem) => invalid(at, vm.id, problem)),
    ...(vm.id.length > MAX_ID_LENGTH ? [tooLong(at, MAX_ID_LENGTH)] : []),
    ...('memoryBytes' in vm
      ? [
          ...outside(child(path, 'memory_bytes'), vm.memoryBytes, MIN_MEMORY, MAX_MEMORY),
          ...outside(child(path, 'cpu_cores'), vm.cpuCores, MIN_CORES, MAX_CORES),
          ...outside(child(path, 'cpu_utilization'), vm.cpuUtilization ?? 1, 0, MAX_CORES),
        ]
      : outside(child(path, 'cpu_consumption'), vm.cpuConsumption, 0, MAX_CORES)),
  ];
}

function outside(field: string, value: number, min: number, max: number): FieldError[] {
  if (value < min) return [invalid(field, value, `must be at least ${min}`)];
  return value > max ? [invalid(field, value, `must not be greater than ${max}`)] : [];
}
