import { DIALECT_NAMES } from '#api/groups';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { kubernetesControllers } from '#control-plane/controllers/kubernetes-controllers';
import { scheduler } from '#control-plane/scheduler/scheduler';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger, type MemoryLogger } from '#platform/base/logger';
import { type Random, seededRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { runnable } from '#platform/runtime/controller';
import { Events } from '#platform/runtime/events/events';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import { EVENT_RULES } from '#platform/runtime/rbac';
import { openVmControlPlane } from '#programs/embedded/control-plane';
import { kindsOf } from '#programs/install/crds';
import { operatorControllers, operatorRules } from '#programs/operator/controllers';
import { installComponents, SYSTEM_NAMESPACE } from '#programs/up/install';
import { operations } from '#vm/controllers/operation/controller';
import { OPERATIONS, type Operation } from '#vm/controllers/operation/operation';
import { operationRules } from '#vm/controllers/operation/rbac';
import { hasOperations } from '#vm/dialects/has-operations';
import { hypersdk } from '#vm/dialects/hypersdk/dialect';
import { kubevirt } from '#vm/dialects/kubevirt/dialect';
import { novacron } from '#vm/dialects/novacron/dialect';
import { simulation } from '#vm/dialects/simulation/dialect';
import type { Dialect } from '#vm/engine/dialect';
import { NODE_RULES } from '#vm/node/rbac';
import { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import { simulatedProvisioner, simulatedReclaimer } from '#vm/node/simulated/storage/provisioner';
import { ensureStorageClasses } from '#vm/node/simulated/storage/storage-classes';
import { SoakProcess } from './soak/process.ts';

const OPERATOR = 'vimana-operator';
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

export interface OperationHarnessOptions {
  /** Defaults to kubevirt alone. */
  readonly dialects?: readonly Dialect[];
  /** Defaults to 4. */
  readonly nodes?: number;
  readonly seed?: string;
  /** Bandwidth of each node's network interface in bytes per second. */
  readonly link?: number;
}

/** Complete cluster with a clock that the test moves, whose operator can be killed at any moment. */
export interface OperationHarness {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly log: MemoryLogger;
  readonly admin: Client;
  readonly operator: SoakProcess;
  /** Every write except of Events since the list was last cleared: verb and resource. */
  readonly writes: string[];
  /**
   * Kills the operator at its write number `count` from now, which is done but gets no response, and starts another
   * operator.
   */
  killAtWrite(count: number, awayMs?: number): void;
  /** Number of such kills. */
  readonly kills: number;
  /** Creates an operation, by default on a VM of kubevirt.io. */
  ask(name: string, vm: string, operation: string, spec?: object): Promise<Operation>;
  operation(name: string): Promise<Operation>;
  /** Advances time in small steps until the operation is finished. */
  over(name: string, withinMs?: number): Promise<Operation>;
  stop(): Promise<void>;
}

export const namespace = 'default';
/** Dialects of every group. */
export const ALL_DIALECTS: readonly Dialect[] = [kubevirt, hypersdk, novacron, simulation];

export async function startOperationHarness(options: OperationHarnessOptions = {}): Promise<OperationHarness> {
  const { dialects = [kubevirt], nodes = 4, seed = 'operations', link } = options;
  const clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
  const random = seededRandom(seed);
  const log = createMemoryLogger(clock);
  const parts = (name: string) => ({ clock, random: random.fork(name), log });
  const writes: string[] = [];
  const opened = await openVmControlPlane({
    store: 'memory',
    clock,
    random: random.fork('server'),
    log,
    operatorUser: userOf(OPERATOR).name,
  });
  const nodeClient = counting(opened.client(userOf('vimana-node'), 'vimana-node'), writes);
  const informers = new Informers({ ...parts('fleet'), client: nodeClient });
  const made = { pools: [{ count: nodes, prefix: 'node-' }], snapshots: hasOperations(dialects) };
  const fleet = new SimulatedFleet(
    { ...parts('fleet'), client: nodeClient, informers },
    link === undefined ? made : { ...made, link },
  );
  const simulated = manager('fleet', [informers, fleet]);
  const plane = await opened.serve({ extensions: [fleet.metrics()] });
  const admin = plane.client({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }, 'kubectl');
  await installComponents(admin, {
    vmShortName: 'kubevirt.io',
    now: 0,
    kinds: kindsOf(DIALECT_NAMES),
    actors: [
      {
        name: OPERATOR,
        rules: [...operatorRules(dialects), ...operationRules(dialects.map(({ kind }) => kind)), ...EVENT_RULES],
      },
      { name: 'vimana-node', rules: NODE_RULES },
    ],
    roles: [],
  });
  await ensureStorageClasses(admin);
  const clientOf = (account: string) => counting(plane.client(userOf(account), account), writes);
  let left = 0;
  let away = 0;
  let kills = 0;
  const fatal = () => {
    if (left === 0 || --left > 0) return;
    kills++;
    operator.kill();
    clock.timer(away, () => operator.start());
  };
  const processes = [
    new SoakProcess('kubernetes', counting(admin, writes), (client) =>
      kubernetesOf(plane, client, parts('kubernetes'), writes),
    ),
    new SoakProcess('operator', counting(plane.client(userOf(OPERATOR), OPERATOR), writes, fatal), (client) =>
      operatorOf(client, dialects, parts('operator')),
    ),
    new SoakProcess('scheduler', clientOf('kube-scheduler'), (client) => {
      const informers = new Informers({ ...parts('scheduler'), client });
      return manager('scheduler', [informers, scheduler({ ...parts('scheduler'), client, informers })]);
    }),
    new SoakProcess('fleet', admin, () => simulated),
  ];
  const operator = processes[1] as SoakProcess;
  for (const process of processes) process.start();
  await clock.advance(5000);
  writes.length = 0;
  const operation = (name: string) => admin.get(OPERATIONS, name, { namespace });
  return {
    clock,
    random,
    log,
    admin,
    operator,
    writes,
    get kills() {
      return kills;
    },
    killAtWrite(count, awayMs = 2000) {
      left = count;
      away = awayMs;
    },
    ask: (name, vm, kind, spec = {}) =>
      admin.create(OPERATIONS, {
        metadata: { name, namespace },
        spec: { vmRef: { name: vm, apiGroup: 'kubevirt.io' }, operation: kind, ...spec },
      }),
    operation,
    async over(name, withinMs = 20 * 60_000) {
      const end = clock.now() + withinMs;
      for (;;) {
        const found = await operation(name);
        if (found.status?.completionTime !== undefined) return found;
        if (clock.now() >= end)
          throw new Error(`${name} is not over: ${JSON.stringify(found.status)}\n${logMessages(log)}`);
        await clock.advance(clock.now() < end - withinMs + 5000 ? 100 : 1000);
      }
    },
    async stop() {
      for (const process of processes) process.kill();
      await plane.stop();
    },
  };
}

function operatorOf(
  client: Client,
  dialects: readonly Dialect[],
  parts: { clock: FakeClock; random: Random; log: MemoryLogger },
) {
  const informers = new Informers({ ...parts, client });
  const events = new Events({ ...parts, client });
  const settings = { dialects, rollout: 'LiveUpdate', nodeLostAfterMs: 40_000 } as const;
  const shared = { ...parts, informers, events, client };
  const alone = hasOperations(dialects)
    ? []
    : [runnable(operations({ dialects }), { ...shared, events: events.recorder('vmoperation-controller') })];
  return manager('operator', [informers, events, ...operatorControllers(settings, shared), ...alone]);
}

/** Creates Kubernetes itself, and its storage. */
function kubernetesOf(
  plane: ControlPlane,
  client: Client,
  parts: { clock: FakeClock; random: Random; log: MemoryLogger },
  writes: string[],
) {
  const clientFor = (user: { name: string; groups: readonly string[] }) =>
    counting(plane.client(user, 'kube-controller-manager'), writes);
  const informers = new Informers({ ...parts, client });
  const storage = { ...parts, client, informers };
  return manager('kubernetes', [
    ...kubernetesControllers({ clientFor, caPem: '', ...parts }),
    informers,
    runnable(simulatedProvisioner, storage),
    runnable(simulatedReclaimer(), storage),
  ]);
}

/** Returns a client that records its writes. */
function counting(client: Client, writes: string[], after: () => void = () => {}): Client {
  return new Proxy(client, {
    get(target, verb: keyof Client) {
      if (!WRITES.has(verb)) return target[verb];
      return async (...args: unknown[]) => {
        const [{ plural }] = args as [{ plural: string }];
        const { subresource = '' } = (args.at(-1) ?? {}) as { subresource?: string };
        const response = await (target[verb] as (...args: unknown[]) => Promise<unknown>)(...args);
        if (plural !== 'events' && plural !== 'leases')
          writes.push(`${verb} ${plural}${subresource === '' ? '' : `/${subresource}`}`);
        if (plural !== 'events') after();
        return response;
      };
    },
  });
}

function logMessages({ entries }: MemoryLogger): string {
  return entries
    .slice(-8)
    .map(({ level, message, fields }) => `${level}: ${message} ${JSON.stringify(fields)}`)
    .join('\n');
}

function userOf(account: string) {
  if (account === 'kube-scheduler') return { name: 'system:kube-scheduler', groups: ['system:authenticated'] };
  return {
    name: `system:serviceaccount:${SYSTEM_NAMESPACE}:${account}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${SYSTEM_NAMESPACE}`, 'system:authenticated'],
  };
}
