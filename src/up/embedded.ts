import { type ControlPlane, startControlPlane } from '../apiserver/control-plane.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import type { DialectName } from '../cli/up.ts';
import { kubernetesControllers } from '../controllers/kubernetes/kubernetes-controllers.ts';
import { kubevirt } from '../dialects/kubevirt.ts';
import type { Client } from '../kube/client.ts';
import { LEASES } from '../kube/kinds/node.ts';
import { isNotFound } from '../kube/kube-error.ts';
import type { LogRequest, NodeRuntime } from '../kube/node-runtime.ts';
import type { Dialect } from '../machine/dialect.ts';
import { subresourceExtensions } from '../machine/subresources/extension.ts';
import { NODE_RULES } from '../node/rules.ts';
import { Fleet } from '../node/simulated/fleet.ts';
import type { NodePool } from '../node/simulated/node-pool.ts';
import { operatorControllers, operatorRules } from '../operator.ts';
import { Events } from '../runtime/events/events.ts';
import { Informers } from '../runtime/informers.ts';
import { leading } from '../runtime/leading.ts';
import { manager } from '../runtime/manager.ts';
import { Metrics } from '../runtime/metrics.ts';
import { scheduler } from '../scheduler/scheduler.ts';
import { explanationsApi } from './explanations.ts';
import { install, kindsOf, SYSTEM_NAMESPACE } from './install.ts';

export interface EmbeddedOptions {
  readonly dataDir?: string;
  readonly store: 'memory' | 'lmdb';
  readonly durability?: 'sync' | 'relaxed';
  readonly host?: string;
  readonly port?: number;
  readonly audit?: (line: string) => void;
  readonly dialects: readonly DialectName[];
  readonly pools: readonly NodePool[];
  readonly rollout?: 'LiveUpdate' | 'Stage';
  readonly nodeLostAfterMs?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: Metrics;
}

/** A control plane with scheduler, nodes and operator, all in this process. */
export interface Embedded {
  readonly plane: ControlPlane;
  /** May do everything. */
  readonly admin: Client;
  readonly metrics: Metrics;
  readonly informers: Informers;
  readonly fleet: Fleet;
  /** Settles when everything has ended; fails where a part did. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const ADMIN = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
/** Reads for all parts together, so that each object is held and each change is told once. */
const READER = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };
const SCHEDULER = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };
const serviceAccount = (name: string) => ({
  name: `system:serviceaccount:${SYSTEM_NAMESPACE}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${SYSTEM_NAMESPACE}`, 'system:authenticated'],
});
const OPERATOR = 'vimana-operator';
const NODE = 'vimana-node';
const LEASE = { namespace: SYSTEM_NAMESPACE, name: OPERATOR };

/** The dialects that are built; the others are stored, and admission says that nothing acts on them yet. */
const DIALECTS: Partial<Record<DialectName, Dialect>> = { kubevirt: kubevirt as unknown as Dialect };

export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { clock, random, log, metrics = new Metrics() } = options;
  const dialects = options.dialects.flatMap((name) => DIALECTS[name] ?? []);
  const runs = new Set(['VirtualMachineInstance', 'VirtualMachineInstanceMigration']);
  const logs = new LateLogs();
  const late: { explanationsOf: (namespace: string, name: string) => readonly object[]; events?: Events } = {
    explanationsOf: () => [],
  };
  const plane = await startControlPlane({
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    store: options.store,
    ...(options.durability === undefined ? {} : { durability: options.durability }),
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.audit === undefined ? {} : { audit: options.audit }),
    operatorUser: serviceAccount(OPERATOR).name,
    actsOn: (kind) => runs.has(kind.kind) || dialects.some((dialect) => dialect.kind === kind),
    nodeRuntime: logs,
    extensions: (clientFor) => [
      ...subresourceExtensions({
        client: clientFor(serviceAccount(OPERATOR), 'vimana-subresource'),
        dialects,
        random: random.fork('subresources'),
        events: { event: (...said) => late.events?.recorder('virtualmachine-controller').event(...said) },
      }),
      explanationsApi((namespace, name) => late.explanationsOf(namespace, name).toReversed()),
    ],
    clock,
    random,
    log,
  });
  const admin = plane.client(ADMIN, 'vimana');
  await install(admin, {
    kinds: kindsOf(options.dialects),
    actors: [
      { name: OPERATOR, rules: operatorRules(dialects) },
      { name: NODE, rules: NODE_RULES },
    ],
    storageClasses: [],
  });
  const shared = { clock, random, log };
  const informers = new Informers({ ...shared, client: plane.client(READER, 'vimana') });
  const events = new Events({
    ...shared,
    client: plane.client(serviceAccount(OPERATOR), 'vimana-operator'),
    onDrop: (why) => metrics.eventDropped(why),
  });
  late.events = events;
  const fleet = new Fleet(
    {
      ...shared,
      informers,
      client: plane.client(serviceAccount(NODE), 'vimana-node'),
      events: events.recorder('kubelet'),
    },
    { pools: options.pools, adoptLapsed: true },
  );
  logs.source = fleet;
  const placing = scheduler({
    ...shared,
    informers,
    client: plane.client(SCHEDULER, 'kube-scheduler'),
    events: events.recorder('default-scheduler'),
  });
  late.explanationsOf = (namespace, name) => placing.explanationOf(namespace, name);
  // Whoever holds the data folder is the only one who can have held the lease in this way: the holder before is gone.
  await admin.delete(LEASES, LEASE.name, { namespace: LEASE.namespace }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  const operatorClient = plane.client(serviceAccount(OPERATOR), 'vimana-operator');
  const operator = leading({
    ...shared,
    lease: LEASE,
    identity: 'vimana-up',
    client: admin,
    run: async (term) => {
      const settings = {
        dialects,
        rollout: options.rollout ?? 'LiveUpdate',
        nodeLostAfterMs: options.nodeLostAfterMs ?? 40_000,
      };
      const parts = { ...shared, informers, events, metrics, client: term.guard(operatorClient) };
      await manager('operator', operatorControllers(settings, parts)).run(term.signal);
    },
  });
  const stop = new AbortController();
  const parts = [
    informers,
    events,
    ...kubernetesControllers({
      ...shared,
      clientFor: (user) => plane.client(user, 'kube-controller-manager'),
      caPem: plane.pki.caPem,
    }),
    placing,
    fleet,
    operator,
  ];
  const ended = manager('vimana up', parts).run(stop.signal);
  return {
    plane,
    admin,
    metrics,
    informers,
    fleet,
    ended,
    async stop() {
      stop.abort();
      await ended.catch(() => {});
      await plane.stop();
    },
  };
}

/** The API server begins before those who run pods do. */
class LateLogs implements NodeRuntime {
  source: NodeRuntime | undefined;

  logs(request: LogRequest): ReturnType<NodeRuntime['logs']> {
    return this.source?.logs(request);
  }
}
