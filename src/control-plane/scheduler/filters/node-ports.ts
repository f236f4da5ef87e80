import { type Filter, filterStatus } from '../framework/filter.ts';
import { collide } from '../pod/host-port.ts';

const name = 'NodePorts';
const TAKEN = filterStatus(name, "node(s) didn't have free ports for the requested pod ports", true);

/** Rejects nodes whose host ports are taken. */
export const nodePorts: Filter = {
  name,
  prepare({ ports }, { nodes }) {
    if (ports.length === 0) return undefined;
    return {
      check(slot) {
        for (const other of nodes.podsAt(slot).values()) {
          if (other.ports.some((taken) => ports.some((port) => collide(taken, port)))) return TAKEN;
        }
        return undefined;
      },
    };
  },
};
