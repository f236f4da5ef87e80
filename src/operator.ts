import type { Kind } from './api/kind.ts';
import type { NodeSize } from './api/launcher-load.ts';
import type { Clock } from './base/clock.ts';
import type { Logger } from './base/logger.ts';
import type { Random } from './base/random.ts';
import type { Carbon } from './carbon.ts';
import type { DialectName } from './cli/up.ts';
import { instances } from './controllers/instance/controller.ts';
import { INSTANCE_RULES, NODE_LEASE_RULES } from './controllers/instance/rules.ts';
import { migrations } from './controllers/migration/controller.ts';
import { evacuations } from './controllers/migration/evacuation.ts';
import { MIGRATION_RULES } from './controllers/migration/rules.ts';
import type { ImageProbe } from './controllers/template/image-probe.ts';
import { DIALECTS } from './dialects/built.ts';
import { HYPERSDK_KINDS, hypersdkParts, hypersdkRules, isHypersdkOn, type Running } from './hypersdk.ts';
import type { ImageVerifier } from './images/verifier.ts';
import { GROUPS } from './install/definitions.ts';
import type { Client } from './kube/client.ts';
import type { Vmi } from './kube/kinds/machines.ts';
import type { PolicyRule } from './kube/kinds/rbac.ts';
import { AddressPool } from './machine/address-pool.ts';
import { machineController } from './machine/controller.ts';
import type { Dialect } from './machine/dialect.ts';
import type { Gatherers } from './machine/gatherer.ts';
import type { Usage } from './machine/metrics.ts';
import { PassingStates } from './machine/passing-state.ts';
import type { Review } from './machine/review.ts';
import { machineRules, USAGE_RULES } from './machine/rules.ts';
import { SUBRESOURCE_RULES } from './machine/subresources/rules.ts';
import { novacronParts, novacronRules } from './novacron.ts';
import { runnable } from './runtime/controller.ts';
import type { Events } from './runtime/events/events.ts';
import type { Informers } from './runtime/informers.ts';
import type { Metrics } from './runtime/metrics.ts';
import type { Runnable } from './runtime/runnable.ts';

/** The dialects of these names. */
export function dialectsOf(names: readonly DialectName[]): Dialect[] {
  return names.flatMap((name) => DIALECTS.get(name) ?? []);
}

export interface OperatorSettings {
  readonly dialects: readonly Dialect[];
  /** False where another operator looks after instances and migrations, which only one may. */
  readonly instances?: boolean;
  /** How many objects each controller works on at once; as each thinks best where absent. */
  readonly workers?: number;
  /** Absent where nothing is stored but what admission has let in. */
  readonly review?: Review;
  readonly rollout: 'LiveUpdate' | 'Stage';
  readonly nodeLostAfterMs: number;
  /** What shares of a node are of, where simulated nodes are not alike; 32 CPUs and 128Gi where absent. */
  readonly referenceNode?: NodeSize;
  /** Asks for the images of templates; nobody does where absent. */
  readonly images?: ImageProbe;
  /** Compares the digests of images with those that machines give; nobody does where absent. */
  readonly verifier?: ImageVerifier;
  /** What heeds electricity; machines that ask for it say that nobody does where absent. */
  readonly carbon?: Carbon;
  /** Whether Secrets may be read, to see whether they are there; machines are started without a look where absent. */
  readonly readsSecrets?: boolean;
  /** What an instance that runs uses; absent where nobody knows. */
  readonly usage?: (instance: Vmi) => Usage | undefined;
  /** The only namespace that is looked after, where it is one. */
  readonly onlyNamespace?: string;
}

export interface OperatorParts {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: Events;
  readonly metrics?: Metrics;
}

/** What only the leading operator does: machines of every group, their instances, and their migrations. */
export function operatorControllers(settings: OperatorSettings, parts: OperatorParts): Runnable[] {
  const { dialects, rollout, nodeLostAfterMs, workers, referenceNode } = settings;
  const sizes = referenceNode === undefined ? {} : { referenceNode };
  const reviewing = settings.review === undefined ? {} : { review: settings.review };
  const addresses = new AddressPool();
  const passing = new PassingStates();
  const of: Running = (controller, component) =>
    runnable(workers === undefined ? controller : { ...controller, concurrency: workers }, {
      ...parts,
      events: parts.events.recorder(component),
    });
  const measuring = { dialects, usage: settings.usage, clock: parts.clock };
  const novacron = novacronParts(of, { ...measuring, onlyNamespace: settings.onlyNamespace });
  const hypersdk = hypersdkParts(of, {
    ...measuring,
    ...reviewing,
    carbon: settings.carbon,
    images: settings.images,
    verifier: settings.verifier,
    readsSecrets: settings.readsSecrets === true,
    onlyNamespace: settings.onlyNamespace,
  });
  const gatherers = new Map<string, Gatherers>([
    [GROUPS.hypersdk, hypersdk.gatherers],
    [GROUPS.novacron, novacron.gatherers],
  ]);
  const machines = [
    ...dialects.map((dialect) =>
      of(
        machineController({
          ...reviewing,
          dialect,
          dialects,
          addresses,
          passing,
          rollout,
          gatherers: gatherers.get(dialect.kind.group) ?? {},
          ...sizes,
        }),
        'virtualmachine-controller',
      ),
    ),
    ...novacron.runnables,
    ...hypersdk.runnables,
  ];
  if (settings.instances === false) return machines;
  return [
    ...machines,
    of(
      instances({ ...reviewing, nodeLostAfterMs, addresses: { pool: addresses, dialects } }),
      'virtualmachine-controller',
    ),
    of(migrations(reviewing), 'virtualmachine-controller'),
    of(evacuations(), 'disruptionbudget-controller'),
  ];
}

/** Whether something acts on objects of a kind where these dialects are on, beside instances and migrations. */
export function actsFor(
  dialects: readonly Dialect[],
): (kind: { readonly group: string; readonly kind: string }) => boolean {
  const kinds = [...dialects.map(({ kind }): Kind => kind), ...(isHypersdkOn(dialects) ? HYPERSDK_KINDS : [])];
  return ({ group, kind }) => kinds.some((each) => each.group === group && each.kind === kind);
}

/** What the controllers and the subresources may do. */
export function operatorRules(dialects: readonly Dialect[]): PolicyRule[] {
  return [...machineOperatorRules(dialects), ...instanceOperatorRules(), ...NODE_LEASE_RULES, ...SUBRESOURCE_RULES];
}

/** What machines of some groups take. */
export function machineOperatorRules(dialects: readonly Dialect[]): PolicyRule[] {
  return [
    ...machineRules(dialects.map(({ kind }) => kind)),
    ...(dialects.some(({ sizedByNodes }) => sizedByNodes === true) ? [READ_NODES] : []),
    ...(isHypersdkOn(dialects) ? hypersdkRules(dialects) : []),
    ...novacronRules(dialects),
    ...(isMeasured(dialects) ? USAGE_RULES : []),
  ];
}

/** Whether the status of some machines tells what they use. */
export function isMeasured(dialects: readonly Dialect[]): boolean {
  return dialects.some(({ asks = [] }) => asks.includes('usage'));
}

/** Where sizes are shares of a node. */
const READ_NODES: PolicyRule = { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] };

/** What instances and migrations take. */
export function instanceOperatorRules(): PolicyRule[] {
  return [...INSTANCE_RULES, ...MIGRATION_RULES];
}
