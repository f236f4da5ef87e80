import { conditionOf, type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import type { Node, Taint } from '#platform/kube/kinds/node';

/** Conditions that a node reports itself and that are unknown while it is silent. */
const REPORTED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** Returns the conditions of a node without heartbeats. */
export function unknownConditions({ metadata, status }: Node, now: string): KubeCondition[] {
  let conditions: KubeCondition[] = [...(status?.conditions ?? [])];
  for (const type of REPORTED) {
    const before = conditionOf(conditions, type);
    if (before?.status === 'Unknown') continue;
    const said =
      before === undefined
        ? {
            reason: 'NodeStatusNeverUpdated',
            message: 'Kubelet never posted node status.',
            lastHeartbeatTime: metadata.creationTimestamp ?? now,
          }
        : {
            reason: 'NodeStatusUnknown',
            message: 'Kubelet stopped posting node status.',
            lastHeartbeatTime: before.lastHeartbeatTime ?? now,
          };
    conditions = withCondition(conditions, { type, status: 'Unknown', ...said }, now);
  }
  return conditions;
}

const PREFIX = 'node.kubernetes.io/';
/** Taints by condition type and status. Those of readiness also evict pods. */
const TAINTS: readonly (readonly [type: string, status: string, key: string, effects: readonly string[]])[] = [
  ['Ready', 'False', 'not-ready', ['NoSchedule', 'NoExecute']],
  ['Ready', 'Unknown', 'unreachable', ['NoSchedule', 'NoExecute']],
  ['MemoryPressure', 'True', 'memory-pressure', ['NoSchedule']],
  ['DiskPressure', 'True', 'disk-pressure', ['NoSchedule']],
  ['PIDPressure', 'True', 'pid-pressure', ['NoSchedule']],
  ['NetworkUnavailable', 'True', 'network-unavailable', ['NoSchedule']],
];

const isSame = (a: Taint, b: Taint) => a.key === b.key && a.effect === b.effect;

/** Returns the taints that match the conditions of a node, undefined if they are up to date. Foreign taints remain. */
export function desiredTaints({ spec, status }: Node, now: string): Taint[] | undefined {
  const present = spec?.taints ?? [];
  const desired: Taint[] = TAINTS.flatMap(([type, value, key, effects]) =>
    conditionOf(status?.conditions, type)?.status === value ? effects.map((effect) => taint(key, effect, now)) : [],
  );
  if (spec?.unschedulable === true) desired.push(taint('unschedulable', 'NoSchedule', now));
  const kept = present.filter((each) => !isOurs(each) || desired.some((other) => isSame(each, other)));
  const added = desired.filter((each) => !present.some((other) => isSame(each, other)));
  return added.length === 0 && kept.length === present.length ? undefined : [...kept, ...added];
}

function taint(key: string, effect: string, timeAdded: string): Taint {
  return { key: `${PREFIX}${key}`, effect, timeAdded };
}

const OURS = new Set([
  ...TAINTS.flatMap(([, , key, effects]) => effects.map((effect) => `${PREFIX}${key}:${effect}`)),
  `${PREFIX}unschedulable:NoSchedule`,
]);
const isOurs = ({ key, effect }: Taint) => OURS.has(`${key}:${effect}`);
