import { timestamp } from '#platform/base/timestamp';
import { conditionOf, withCondition } from '#platform/kube/kinds/condition';
import { LEASES, NODES, type Node } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { NODE_LEASE_NAMESPACE } from '#platform/kube/node-lease';
import { AwakeTime } from '#platform/runtime/awake-time';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { awaitsListings, LISTINGS_RECHECK_MS } from '#platform/runtime/restored-nodes';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { AssumedHealth, type LastHeartbeats, NodeHealth } from './node-health.ts';
import { desiredTaints, unknownConditions } from './node-plan.ts';
import { byNode } from './pods-by-node.ts';

/** Time without a heartbeat after which the state of a node is unknown. */
const GRACE_MS = 40_000;

/** Detects nodes without heartbeats, and taints unhealthy nodes against new pods. */
export function nodeLifecycle(health: LastHeartbeats = new NodeHealth()): Controller<Node> {
  let awake: AwakeTime | undefined;
  /** Returns the time, in which periods that this process was suspended do not count as silence of nodes. */
  const time = ({ clock, signal }: Context): number => {
    if (health instanceof AssumedHealth) return clock.monotonic();
    awake ??= new AwakeTime(clock).keep(signal);
    return awake.now();
  };
  return {
    name: 'node lifecycle',
    for: NODES,
    reads: [PODS],
    watches: [
      // A renewed lease is only recorded, and the next due reconciliation sees it.
      watchSource(
        LEASES,
        (lease, context) => {
          health.noticeLease(lease, time(context));
          return [];
        },
        { namespace: NODE_LEASE_NAMESPACE },
      ),
      watchSource(NODES, (node, context, { type, object }) => {
        // The handler runs for both sides of a change, of which only the newer counts.
        if (node !== object) return [];
        if (type !== 'deleted') health.noticeNode(node, time(context));
        else
          recordEvent(
            node,
            context.events,
            'RemovingNode',
            (name) => `Node ${name} event: Removing Node ${name} from Controller`,
          );
        return [];
      }),
    ],
    async reconcile(node, context) {
      // The reconciliation may run before the watch handler.
      const now = time(context);
      health.noticeNode(node, now);
      return await reconcileNode(node, now - (health.lastSeen(node.metadata.name ?? '') ?? now), context);
    },
    forget: (key) => health.forget(key),
  };
}

/** Writes the conditions and taints of a node that has been silent for some milliseconds. */
async function reconcileNode(node: Node, silent: number, context: Context): Promise<ReconcileResult | undefined> {
  const { client, clock } = context;
  const { name = '' } = node.metadata;
  if (silent >= GRACE_MS && awaitsListings(context)) return { requeueAfterMs: LISTINGS_RECHECK_MS };
  const known = silent >= GRACE_MS ? await markUnknown(node, context) : node;
  const taints = desiredTaints(known, timestamp(clock.now()));
  if (taints !== undefined) {
    const { resourceVersion } = known.metadata;
    const body = { metadata: { resourceVersion }, spec: { taints } };
    await client.patch(NODES, name, { type: 'merge', body });
  }
  if (conditionOf(known.status?.conditions, 'Ready')?.status === 'Unknown') await markPods(name, context);
  if (silent === Number.NEGATIVE_INFINITY) return undefined;
  // The next heartbeat of a silent node triggers an event.
  return silent >= GRACE_MS ? { requeueAfterMs: GRACE_MS } : { requeueAfterMs: GRACE_MS - silent };
}

/** Writes that the state of a silent node is unknown. */
async function markUnknown(node: Node, { client, clock, events }: Context): Promise<Node> {
  const conditions = unknownConditions(node, timestamp(clock.now()));
  const known = await writeStatus(client, NODES, node, { ...node.status, conditions });
  if (isReady(node)) recordEvent(node, events, 'NodeNotReady', (name) => `Node ${name} status is now: NodeNotReady`);
  return known;
}

const isReady = ({ status }: Node) => conditionOf(status?.conditions, 'Ready')?.status === 'True';

function recordEvent(node: Node, events: EventRecorder, reason: string, message: (name: string) => string): void {
  events.event(node, 'Normal', reason, message(node.metadata.name ?? ''));
}

/** Marks the pods of a node not ready, since their state is unknown and they should get no traffic. */
async function markPods(node: string, { cache, client, clock }: Context): Promise<void> {
  for (const pod of cache(PODS).by(byNode, node)) {
    const ready = conditionOf(pod.status?.conditions, 'Ready');
    if (ready === undefined || ready.status !== 'True') continue;
    const conditions = withCondition(pod.status?.conditions, { ...ready, status: 'False' }, timestamp(clock.now()));
    await patchStatus(pod, { conditions }, client);
  }
}

async function patchStatus({ metadata }: Pod, status: object, client: Context['client']): Promise<void> {
  const { name = '', namespace = '', uid } = metadata;
  try {
    const body = { metadata: { uid }, status };
    await client.patch(PODS, name, { type: 'strategic', body }, { namespace, subresource: 'status' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
