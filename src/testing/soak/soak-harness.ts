import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { kubernetesControllers } from '#control-plane/controllers/kubernetes-controllers';
import { scheduler } from '#control-plane/scheduler/scheduler';
import type { Clock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger, type MemoryLogger } from '#platform/base/logger';
import { type Random, seededRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { RESOURCE_QUOTAS } from '#platform/kube/kinds/resource-quota';
import { runnable } from '#platform/runtime/controller';
import { noopRecorder } from '#platform/runtime/events/event-recorder';
import { Events } from '#platform/runtime/events/events';
import { Informers } from '#platform/runtime/informers';
import { createLeaderElector } from '#platform/runtime/leader-elector';
import { OwnClock } from '#platform/runtime/leader-elector.fixture';
import { manager } from '#platform/runtime/manager';
import { EVENT_RULES, leaseRules } from '#platform/runtime/rbac';
import { openVmControlPlane } from '#programs/embedded/control-plane';
import { kindsOf } from '#programs/install/crds';
import { operatorControllers, operatorRules } from '#programs/operator/controllers';
import { installComponents, SYSTEM_NAMESPACE } from '#programs/up/install';
import { kubevirt } from '#vm/dialects/kubevirt/dialect';
import type { Dialect } from '#vm/engine/dialect';
import { subresourceExtensions } from '#vm/engine/subresources/extension';
import { NODE_RULES } from '#vm/node/rbac';
import { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import { simulatedProvisioner, simulatedReclaimer } from '#vm/node/simulated/storage/provisioner';
import { ensureStorageClasses } from '#vm/node/simulated/storage/storage-classes';
import { type Faults, faultyClient, NO_FAULTS } from '../faulty-client.ts';
import { CRAMPED } from './chaos-action.ts';
import { KnownAddresses } from './known-addresses.ts';
import { SoakProcess } from './process.ts';
import { RunningVms } from './running-vms.ts';

const NODES = 4;
const OPERATOR = 'vimana-operator';
const LEASE = { namespace: SYSTEM_NAMESPACE, name: OPERATOR };
const dialects: readonly Dialect[] = [kubevirt];

/**
 * Complete cluster with a clock that the test moves: two operators, a scheduler and nodes, each a process of its own.
 */
export interface SoakHarness {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly log: MemoryLogger;
  readonly admin: Client;
  /** Faults of the connection between processes and server. They may be changed at any time. */
  readonly faults: Faults;
  readonly processes: readonly SoakProcess[];
  /** Pauses a process, alone or with its whole host, until it is woken. */
  stall(process: string, host: boolean): { wake(): void };
  /** Called after each write of a process other than Kubernetes itself, before the response arrives. */
  onWrite: () => void;
  readonly machines: RunningVms;
  readonly addresses: KnownAddresses;
  stop(): Promise<void>;
}

export async function startSoakHarness(seed: string): Promise<SoakHarness> {
  const clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
  const random = seededRandom(seed);
  const log = createMemoryLogger(clock);
  const faults: Faults = { ...NO_FAULTS };
  const addresses = new KnownAddresses();
  const ended = new AbortController();
  const opened = await openVmControlPlane({ store: 'memory', clock, random: random.fork('server'), log });
  const plane = await opened.serve({
    extensions: subresourceExtensions({
      client: opened.client(userOf(OPERATOR), 'vimana-subresource'),
      dialects,
      random: random.fork('subresources'),
      events: noopRecorder,
    }),
  });
  const admin = plane.client({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }, 'kubectl');
  const machines = new RunningVms(admin);
  await installComponents(admin, {
    vmShortName: 'kubevirt.io',
    now: 0,
    kinds: kindsOf(['kubevirt']),
    actors: [
      { name: OPERATOR, rules: [...operatorRules(dialects), ...leaseRules(LEASE.name), ...EVENT_RULES] },
      { name: 'vimana-node', rules: NODE_RULES },
    ],
    roles: [],
  });
  await ensureStorageClasses(admin);
  await admin.create(NAMESPACES, { metadata: { name: CRAMPED } });
  const quota = { metadata: { name: CRAMPED, namespace: CRAMPED }, spec: { hard: { pods: '3' } } };
  await admin.create(RESOURCE_QUOTAS, quota);
  /** Each process has its own clock, which can be paused. */
  const clocks = new Map<string, OwnClock>();
  const clockOf = (name: string) => {
    const own = clocks.get(name) ?? new OwnClock(clock, 0, 1);
    clocks.set(name, own);
    return own;
  };
  const parts = (name: string) => ({ clock: clockOf(name), random: random.fork(name), log });
  const through = (name: string, account: string) => {
    const reported = toldOfWrites(plane.client(userOf(account), name), () => harness.onWrite());
    const faulty = faultyClient(reported, faults, random.fork(`faults of ${name}`), clock);
    return heardAwake(faulty, clockOf(name));
  };
  const processes = [
    new SoakProcess('kubernetes', admin, () => kubernetesOf(plane, admin, clock, random, log)),
    ...['operator a', 'operator b'].map(
      (name) => new SoakProcess(name, through(name, OPERATOR), (client) => operatorOf(client, name, parts(name))),
    ),
    new SoakProcess('scheduler', through('scheduler', 'kube-scheduler'), (client) => {
      const informers = new Informers({ ...parts('scheduler'), client });
      return manager('scheduler', [informers, scheduler({ ...parts('scheduler'), client, informers })]);
    }),
    new SoakProcess('fleet', through('fleet', 'vimana-node'), (client) => {
      const informers = new Informers({ ...parts('fleet'), client });
      const fleet = new SimulatedFleet({ ...parts('fleet'), client, informers }, { pools: [{ count: NODES }] });
      machines.watch(
        fleet,
        Array.from({ length: NODES }, (_, at) => `kwok-node-${at + 1}`),
      );
      return manager('fleet', [informers, fleet]);
    }),
  ];
  const harness: SoakHarness = {
    onWrite() {},
    stall(process, host) {
      const own = clockOf(process);
      own.fallAsleep(host);
      return { wake: () => own.wake() };
    },
    clock,
    random,
    log,
    admin,
    faults,
    processes,
    machines,
    addresses,
    async stop() {
      ended.abort();
      for (const process of processes) process.kill();
      await plane.stop();
    },
  };
  for (const process of processes) process.start();
  void addresses.watch(admin, ended.signal).catch(() => {});
  return harness;
}

/** Returns a client that delivers what arrives during a pause when the process resumes. */
function heardAwake(client: Client, own: OwnClock): Client {
  return new Proxy(client, {
    get(target, verb: keyof Client) {
      if (verb === 'watch') {
        return async function* (...args: Parameters<Client['watch']>) {
          for await (const event of target.watch(...args)) {
            await own.awake();
            yield event;
          }
        };
      }
      return async (...args: unknown[]) => {
        try {
          return await (target[verb] as (...args: unknown[]) => Promise<unknown>)(...args);
        } finally {
          await own.awake();
        }
      };
    },
  });
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

function toldOfWrites(client: Client, onWrite: () => void): Client {
  return new Proxy(client, {
    get(target, verb: keyof Client) {
      if (!WRITES.has(verb)) return target[verb];
      return async (...args: unknown[]) => {
        const response = await (target[verb] as (...args: unknown[]) => Promise<unknown>)(...args);
        const [{ plural }] = args as [{ readonly plural: string }];
        if (plural !== 'events' && plural !== 'leases') onWrite();
        return response;
      };
    },
  });
}

function operatorOf(client: Client, name: string, parts: { clock: Clock; random: Random; log: MemoryLogger }) {
  const informers = new Informers({ ...parts, client });
  const events = new Events({ ...parts, client });
  const settings = { dialects, rollout: 'LiveUpdate', nodeLostAfterMs: 40_000 } as const;
  return manager(name, [
    informers,
    events,
    createLeaderElector({
      ...parts,
      client,
      informers,
      lease: LEASE,
      identity: name,
      run: (term) =>
        manager(
          'controllers',
          operatorControllers(settings, { ...parts, informers, events, client: term.guard(client) }),
        ).run(term.signal),
    }),
  ]);
}

/** Creates Kubernetes itself, and its storage. */
function kubernetesOf(plane: ControlPlane, admin: Client, clock: Clock, random: Random, log: MemoryLogger) {
  const clientFor = (user: { name: string; groups: readonly string[] }) =>
    plane.client(user, 'kube-controller-manager');
  const informers = new Informers({ clock, random: random.fork('storage'), log, client: admin });
  const storage = { clock, random: random.fork('storage'), log, client: admin, informers };
  return manager('kubernetes', [
    ...kubernetesControllers({ clientFor, caPem: '', clock, random: random.fork('kubernetes'), log }),
    informers,
    runnable(simulatedProvisioner, storage),
    runnable(simulatedReclaimer(), storage),
  ]);
}

function userOf(account: string) {
  if (account === 'kube-scheduler') return { name: 'system:kube-scheduler', groups: ['system:authenticated'] };
  return {
    name: `system:serviceaccount:${SYSTEM_NAMESPACE}:${account}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${SYSTEM_NAMESPACE}`, 'system:authenticated'],
  };
}
