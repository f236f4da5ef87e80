import { FREEZE_ANNOTATION } from '#api/launcher';
import { NODES } from '#platform/kube/kinds/node';
import { NO_FAULTS } from '../faulty-client.ts';
import { type ChaosAction, type ChaosActions, later, NODE_NAMES } from './chaos-action.ts';

/** Faults, which no user requests. */
export const FAULT_ACTIONS: ChaosActions = [
  [
    'freeze',
    2,
    async (admin, random, harness) => {
      const node = random.pick(NODE_NAMES);
      await admin.patch(NODES, node, annotation(FREEZE_ANNOTATION, 'true'));
      // The node may be deleted by then.
      const thaw = () => admin.patch(NODES, node, annotation(FREEZE_ANNOTATION, null)).catch(() => {});
      return `${node} ${later(harness, () => void thaw())}`;
    },
  ],
  [
    'cordon',
    2,
    async (admin, random) => {
      const node = random.pick(NODE_NAMES);
      const unschedulable = random.next() < 0.3;
      await admin.patch(NODES, node, { type: 'merge', body: { spec: { unschedulable } } });
      return `${node} ${unschedulable}`;
    },
  ],
  [
    'remove node',
    1,
    async (admin, random) => {
      const node = random.pick(NODE_NAMES);
      await admin.delete(NODES, node);
      return node;
    },
  ],
  ['kill', 4, end((process) => process.kill())],
  // Stopping takes time, which nobody here waits for.
  ['stop', 2, end((process) => void process.stop())],
  [
    'stall',
    3,
    (_admin, random, harness) => {
      const { name } = random.pick(harness.processes.slice(1));
      const stalled = harness.stall(name, random.next() < 0.5);
      return `${name}, ${later(harness, () => stalled.wake())}`;
    },
  ],
  [
    'faults',
    2,
    (_admin, random, harness) => {
      Object.assign(harness.faults, {
        refuse: random.next() * 0.3,
        lose: random.next() * 0.15,
        slow: random.next() * 0.3,
        // The delay exceeds every timeout, so that earlier decisions arrive after later ones.
        slowestMs: random.pick([1000, 20_000, 90_000]),
        drop: random.next() * 0.1,
        expire: random.next() * 0.05,
      });
      return later(harness, () => Object.assign(harness.faults, NO_FAULTS));
    },
  ],
  [
    'outage',
    2,
    (_admin, _random, harness) => {
      Object.assign(harness.faults, NO_FAULTS, { refuse: 1, drop: 1 });
      return later(harness, () => Object.assign(harness.faults, NO_FAULTS));
    },
  ],
];

/** Ends a process other than Kubernetes itself, and starts it again later. */
function end(how: (process: { kill(): void; stop(): Promise<void> }) => void): ChaosAction {
  return (_admin, random, harness) => {
    const process = random.pick(harness.processes.slice(1));
    how(process);
    return `${process.name}, ${later(harness, () => process.start())}`;
  };
}

const annotation = (name: string, value: string | null) =>
  ({ type: 'merge', body: { metadata: { annotations: { [name]: value } } } }) as const;
