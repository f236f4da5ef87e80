import type { DialectName } from '#api/groups';
import type { Vmi } from '#api/kubevirt/resources';
import type { NodeSize } from '#api/launcher-load';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { runnable } from '#platform/runtime/controller';
import type { Events } from '#platform/runtime/events/events';
import type { Informers } from '#platform/runtime/informers';
import type { Metrics } from '#platform/runtime/metrics';
import type { Runnable } from '#platform/runtime/runnable';
import type { Kind } from '#platform/schema/kind';
import { instances } from '#vm/controllers/instance/controller';
import { INSTANCE_RULES, NODE_LEASE_RULES } from '#vm/controllers/instance/rbac';
import { migrations } from '#vm/controllers/migration/controller';
import { evacuations } from '#vm/controllers/migration/evacuation';
import { MIGRATION_RULES } from '#vm/controllers/migration/rbac';
import type { ImageProbe } from '#vm/controllers/template/image-probe';
import { controllersOf } from '#vm/dialects/controllers';
import type { RunController } from '#vm/dialects/group-controllers';
import type { ForecastFits } from '#vm/dialects/novacron/pool/pool-forecasts';
import { REGISTRATIONS } from '#vm/dialects/registrations';
import { AddressPool } from '#vm/engine/address-pool';
import type { AdmissionRecheck } from '#vm/engine/admission-recheck';
import { vmController } from '#vm/engine/controller';
import type { Dialect } from '#vm/engine/dialect';
import type { VmUsage } from '#vm/engine/metrics';
import { USAGE_RULES, vmRules } from '#vm/engine/rbac';
import { SUBRESOURCE_RULES } from '#vm/engine/subresources/rbac';
import { TransientStatusThrottle } from '#vm/engine/transient-status-throttle';
import type { ImageVerifier } from '#vm/images/verifier';
import type { Carbon } from './carbon.ts';

/** Returns the dialects with these names. */
export function dialectsOf(names: readonly DialectName[]): Dialect[] {
  return names.map((name) => REGISTRATIONS[name].dialect);
}

export interface OperatorSettings {
  readonly dialects: readonly Dialect[];
  /** False if another operator manages instances and migrations, which only one may. */
  readonly instances?: boolean;
  /** Number of workers per controller. Defaults to each controller's own. */
  readonly workers?: number;
  /** Absent if only admitted objects are stored. */
  readonly recheck?: AdmissionRecheck;
  readonly rollout: 'LiveUpdate' | 'Stage';
  readonly nodeLostAfterMs: number;
  /** Node size that fractional VM sizes refer to where simulated nodes differ. Defaults to 32 CPUs and 128Gi. */
  readonly referenceNode?: NodeSize;
  /** Checks the images of templates. If absent, they are not checked. */
  readonly images?: ImageProbe;
  /** Compares the digests of images with those that VMs specify. If absent, they are not compared. */
  readonly verifier?: ImageVerifier;
  /** Carbon awareness. If absent, VMs that request it report that it is off. */
  readonly carbon?: Carbon;
  /** Permits reading Secrets to check that they exist. By default VMs are started without the check. */
  readonly readsSecrets?: boolean;
  /** Returns the usage of a running instance. Absent if it is not known. */
  readonly usage?: (instance: Vmi) => VmUsage | undefined;
  /** Computes the fits of forecasts. */
  readonly fits?: ForecastFits;
  /** Image of pools whose template has none. */
  readonly defaultImage?: string;
  /** The only namespace that is managed, if there is just one. */
  readonly onlyNamespace?: string;
}

export interface OperatorDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: Events;
  readonly metrics?: Metrics;
}

/** Creates the controllers that only the leader runs: VMs of every group, their instances, and their migrations. */
export function operatorControllers(settings: OperatorSettings, parts: OperatorDeps): Runnable[] {
  const { dialects, rollout, nodeLostAfterMs, workers, referenceNode } = settings;
  const sizes = referenceNode === undefined ? {} : { referenceNode };
  const rechecking = settings.recheck === undefined ? {} : { recheck: settings.recheck };
  const addresses = new AddressPool();
  const throttle = new TransientStatusThrottle();
  const of: RunController = (controller, component) =>
    runnable(workers === undefined ? controller : { ...controller, concurrency: workers }, {
      ...parts,
      events: parts.events.recorder(component),
    });
  const groups = new Map(
    controllersOf(dialects).map((group) => [
      group.group as string,
      group.create({ ...settings, run: of, clock: parts.clock }),
    ]),
  );
  const machines = [
    ...dialects.map((dialect) =>
      of(
        vmController({
          ...rechecking,
          dialect,
          dialects,
          addresses,
          throttle,
          rollout,
          providers: groups.get(dialect.kind.group)?.providers ?? {},
          ...sizes,
        }),
        'virtualmachine-controller',
      ),
    ),
    ...[...groups.values()].flatMap(({ runnables }) => runnables),
  ];
  if (settings.instances === false) return machines;
  return [
    ...machines,
    of(
      instances({ ...rechecking, nodeLostAfterMs, addresses: { pool: addresses, dialects } }),
      'virtualmachine-controller',
    ),
    of(migrations(rechecking), 'virtualmachine-controller'),
    of(evacuations(), 'disruptionbudget-controller'),
  ];
}

/** Reports whether a controller acts on objects of a kind with these dialects, besides instances and migrations. */
export function actsFor(
  dialects: readonly Dialect[],
): (kind: { readonly group: string; readonly kind: string }) => boolean {
  const kinds: Kind[] = [
    ...dialects.map(({ kind }) => kind),
    ...controllersOf(dialects).flatMap(({ kinds: others }) => others),
  ];
  return ({ group, kind }) => kinds.some((each) => each.group === group && each.kind === kind);
}

/** Returns the permissions of the controllers and the subresources. */
export function operatorRules(dialects: readonly Dialect[]): PolicyRule[] {
  return [...vmOperatorRules(dialects), ...instanceOperatorRules(), ...NODE_LEASE_RULES, ...SUBRESOURCE_RULES];
}

/** Returns the permissions for VMs of some groups. */
export function vmOperatorRules(dialects: readonly Dialect[]): PolicyRule[] {
  return [
    ...vmRules(dialects.map(({ kind }) => kind)),
    ...(dialects.some(({ sizedByNodes }) => sizedByNodes === true) ? [READ_NODES] : []),
    ...controllersOf(dialects).flatMap((group) => group.rules(dialects)),
    ...(isMeasured(dialects) ? USAGE_RULES : []),
  ];
}

/** Reports whether the status of some VMs shows their usage. */
export function isMeasured(dialects: readonly Dialect[]): boolean {
  return dialects.some(({ dependencies = [] }) => dependencies.includes('usage'));
}

/** Required if sizes are fractions of a node. */
const READ_NODES: PolicyRule = { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] };

/** Returns the permissions for instances and migrations. */
export function instanceOperatorRules(): PolicyRule[] {
  return [...INSTANCE_RULES, ...MIGRATION_RULES];
}
