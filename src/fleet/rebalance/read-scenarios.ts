import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  notFound,
  required,
  typeInvalid,
} from '#platform/base/field-error';
import { REFERENCE_NODE, type Scenario, type ScenarioNode, type ScenarioVm } from './scenario.ts';

export interface ReadScenarios {
  readonly scenarios: readonly Scenario[];
  /** Reasons to reject the file. Empty if it is valid. */
  readonly causes: readonly FieldError[];
}

type Fields = Readonly<Record<string, unknown>>;

const NODE_FIELDS = [
  'name',
  'cpu_usage',
  'cpu_pressure',
  'memory_usage',
  'memory_pressure',
  'vms',
  'cpu_cores',
  'memory_bytes',
];
const PLACE_FIELDS = ['pod_name', 'scheduled_node'];
const OLD_FIELDS = ['cpu_consumption', 'memory_consumption'];
const NEW_FIELDS = ['cpu_cores', 'memory_bytes', 'cpu_utilization', 'memory_utilization'];

/**
 * Parses `{"<scenario>": [nodes]}` with VMs in the old or new format, and finds all problems at once. A VM may be on a
 * node outside the list if `isNode` confirms it.
 */
export function readScenarios(value: unknown, isNode: (name: string) => boolean = () => false): ReadScenarios {
  const reader = new Reader(isNode);
  const scenarios = reader.scenarios(value);
  return { scenarios, causes: reader.causes };
}

/** VM and the node that it states. */
interface Placed {
  readonly vm: ScenarioVm;
  readonly node: string;
}

class Reader {
  readonly causes: FieldError[] = [];
  readonly #isNode: (name: string) => boolean;

  constructor(isNode: (name: string) => boolean) {
    this.#isNode = isNode;
  }

  scenarios(value: unknown): Scenario[] {
    const all = this.#fields(value, '');
    if (all !== undefined && Object.keys(all).length === 0)
      this.causes.push(required('', 'at least one scenario is required'));
    return Object.entries(all ?? {}).map(([name, nodes]) => ({ name, nodes: this.#nodes(nodes, name) }));
  }

  #nodes(value: unknown, path: string): ScenarioNode[] {
    const list = this.#list(value, path);
    if (list?.length === 0) this.causes.push(required(path, 'at least one node is required'));
    const [names, ids] = [new Set<string>(), new Set<string>()];
    const read = (list ?? []).map((each, at) => this.#node(each, index(path, at), names, ids));
    const nodes = read.flatMap((each) => (each === undefined ? [] : [each]));
    return this.#scheduled(nodes);
  }

  #node(value: unknown, path: string, names: Set<string>, ids: Set<string>): ReadNode | undefined {
    const fields = this.#fields(value, path, NODE_FIELDS);
    if (fields === undefined) return undefined;
    const name = this.#name(fields, 'name', path, names);
    const cpuCores = this.#amount(fields, 'cpu_cores', path, { usual: REFERENCE_NODE.cpuCores, positive: true });
    const memoryBytes = this.#amount(fields, 'memory_bytes', path, {
      usual: REFERENCE_NODE.memoryBytes,
      positive: true,
    });
    const share = (field: string, max = 1) => this.#amount(fields, field, path, { usual: 0, most: max });
    const node = {
      name,
      cpuCores,
      memoryBytes,
      cpuUsage: share('cpu_usage', Number.MAX_VALUE),
      cpuPressure: share('cpu_pressure'),
      memoryUsage: share('memory_usage'),
      memoryPressure: share('memory_pressure'),
    };
    const list = fields['vms'] === undefined ? [] : this.#list(fields['vms'], child(path, 'vms'));
    const placed = (list ?? []).flatMap((each, at) => {
      const vmPath = index(child(path, 'vms'), at);
      const vm = this.#vm(each, vmPath, node, ids);
      return vm === undefined ? [] : [{ path: vmPath, ...vm }];
    });
    return { path, node, placed };
  }

  #vm(value: unknown, path: string, node: Sized, ids: Set<string>): Placed | undefined {
    const fields = this.#fields(value, path, ['id', ...OLD_FIELDS, ...NEW_FIELDS, ...PLACE_FIELDS]);
    if (fields === undefined) return undefined;
    const id = this.#name(fields, 'id', path, ids);
    for (const field of PLACE_FIELDS) {
      const given = fields[field] ?? '';
      if (typeof given !== 'string') this.causes.push(typeInvalid(child(path, field), given, 'must be a string'));
    }
    const elsewhere = fields['scheduled_node'];
    const placed = typeof elsewhere === 'string' && elsewhere !== '' ? elsewhere : node.name;
    return { vm: { id, ...this.#demand(fields, path) }, node: placed };
  }

  /** Returns the usage of a VM. Ratios refer to the reference node, whatever node the VM is on. */
  #demand(fields: Fields, path: string): { cpu: number; memory: number } {
    const isNew = NEW_FIELDS.some((field) => fields[field] !== undefined);
    const old = OLD_FIELDS.filter((field) => fields[field] !== undefined);
    if (!isNew) {
      return {
        cpu: REFERENCE_NODE.cpuCores * this.#amount(fields, 'cpu_consumption', path, {}),
        memory: REFERENCE_NODE.memoryBytes * this.#amount(fields, 'memory_consumption', path, { most: 1 }),
      };
    }
    for (const field of old) {
      this.causes.push(
        forbidden(child(path, field), `belongs to the old format, and ${NEW_FIELDS.join(', ')} to the new one`),
      );
    }
    const [cores, bytes] = ['cpu_cores', 'memory_bytes'].map((field) =>
      this.#amount(fields, field, path, { positive: true }),
    );
    return {
      cpu: (cores ?? 0) * this.#amount(fields, 'cpu_utilization', path, {}),
      memory: (bytes ?? 0) * this.#amount(fields, 'memory_utilization', path, { most: 1 }),
    };
  }

  /** Places VMs on their scheduled nodes, if they state one. */
  #scheduled(read: readonly ReadNode[]): ScenarioNode[] {
    const vms = new Map<string, ScenarioVm[]>(read.map(({ node }) => [node.name, []]));
    for (const { placed } of read) {
      for (const { path, vm, node } of placed) {
        const there = vms.get(node);
        if (there !== undefined) there.push(vm);
        else if (!this.#isNode(node)) this.causes.push(notFound(child(path, 'scheduled_node'), node));
      }
    }
    for (const { path, node } of read) {
      if (node.cpuUsage > 1 && !isOverloaded(node, vms.get(node.name) ?? []))
        this.causes.push(
          invalid(child(path, 'cpu_usage'), node.cpuUsage, 'must not be greater than 1, unless its VMs use more'),
        );
    }
    return read.map(({ node }) => ({ ...node, vms: vms.get(node.name) ?? [] }));
  }

  #name(fields: Fields, field: string, path: string, seen: Set<string>): string {
    const at = child(path, field);
    const name = fields[field];
    if (name === undefined || name === '') this.causes.push(required(at));
    else if (typeof name !== 'string') this.causes.push(typeInvalid(at, name, 'must be a string'));
    else if (seen.has(name)) this.causes.push(duplicate(at, name));
    else seen.add(name);
    return typeof name === 'string' ? name : '';
  }

  #amount(
    fields: Fields,
    field: string,
    path: string,
    { usual: fallback, most: max = Number.MAX_VALUE, positive = false }: Amount,
  ): number {
    const at = child(path, field);
    const value = fields[field];
    if (value === undefined && fallback !== undefined) return fallback;
    if (value === undefined) this.causes.push(required(at));
    else if (typeof value !== 'number') this.causes.push(typeInvalid(at, value, 'must be a number'));
    else if (value < 0 || (positive && value === 0)) {
      this.causes.push(invalid(at, value, positive ? 'must be greater than 0' : 'must not be negative'));
    } else if (!(value <= max))
      this.causes.push(invalid(at, value, max === 1 ? 'must not be greater than 1' : 'must be finite'));
    else return value;
    return fallback ?? 1;
  }

  #list(value: unknown, path: string): readonly unknown[] | undefined {
    if (Array.isArray(value)) return value;
    this.causes.push(typeInvalid(path, value, 'must be a list'));
    return undefined;
  }

  #fields(value: unknown, path: string, known?: readonly string[]): Fields | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.causes.push(typeInvalid(path, value, 'must be an object'));
      return undefined;
    }
    for (const field of known === undefined ? [] : Object.keys(value)) {
      if (!known?.includes(field))
        this.causes.push(forbidden(child(path, field), `unknown field; supported are ${known?.join(', ')}`));
    }
    return value as Fields;
  }
}

interface Amount {
  /** Default value. If absent, the field is required. */
  readonly usual?: number;
  readonly most?: number;
  readonly positive?: boolean;
}

/** Reports whether the VMs of a node use as much CPU as it states, whether as ratios of it or of the reference node. */
function isOverloaded({ cpuCores, cpuUsage }: Sized, vms: readonly ScenarioVm[]): boolean {
  const used = vms.reduce((sum, { cpu }) => sum + cpu, 0);
  return used / Math.min(cpuCores, REFERENCE_NODE.cpuCores) >= cpuUsage - 0.01;
}

type Sized = Omit<ScenarioNode, 'vms'>;

interface ReadNode {
  readonly path: string;
  readonly node: Sized;
  readonly placed: readonly (Placed & { readonly path: string })[];
}
