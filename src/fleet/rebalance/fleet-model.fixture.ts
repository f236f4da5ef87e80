import fc from 'fast-check';
import { FleetModel, type FleetNode, type FleetVm } from './fleet-model.ts';

/**
 * Generates fleets with nodes of several sizes, in which no node's memory is exceeded at first, though it may be full.
 */
export function fleets(): fc.Arbitrary<FleetModel> {
  const node = fc.record({ cpu: fc.constantFrom(8, 16, 32), memory: fc.constantFrom(64, 128) });
  const vm = fc.record({ cpu: fc.integer({ min: 0, max: 80 }), memory: fc.integer({ min: 0, max: 60 }), at: fc.nat() });
  return fc.tuple(fc.array(node, { minLength: 1, maxLength: 7 }), fc.array(vm, { maxLength: 40 })).map(fleetWith);
}

type Sizes = Pick<FleetNode, 'cpu' | 'memory'>;

function fleetWith([sizes, desired]: [Sizes[], (Sizes & { at: number })[]]): FleetModel {
  const nodes = sizes.map((size, at): FleetNode => ({ name: `node-${at}`, ...size }));
  const room = sizes.map(({ memory }) => memory);
  const vms = desired.flatMap(({ cpu, memory, at }, i): FleetVm[] => {
    const node = at % nodes.length;
    if ((room[node] ?? 0) < memory) return [];
    room[node] = (room[node] ?? 0) - memory;
    return [{ id: `vm-${i}`, cpu: cpu / 10, memory, node }];
  });
  return FleetModel.of(nodes, vms);
}
