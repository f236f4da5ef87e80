import { virtualMachine } from './api/hypersdk/virtual-machine.ts';
import { vmOperation } from './api/hypersdk/vm-operation.ts';
import { vmSnapshot } from './api/hypersdk/vm-snapshot.ts';
import { vmTemplate } from './api/hypersdk/vm-template.ts';
import type { Kind } from './api/kind.ts';
import type { Clock } from './base/clock.ts';
import { CARBON_RULES, type Carbon } from './carbon.ts';
import { ClaimRefusals } from './controllers/machine-parts/claim-refusals.ts';
import { machineParts } from './controllers/machine-parts/controller.ts';
import { claimsGatherer } from './controllers/machine-parts/gatherer.ts';
import { HYPERSDK_PARTS } from './controllers/machine-parts/hypersdk.ts';
import { COPIED_PARTS_RULES, machinePartsRules } from './controllers/machine-parts/rules.ts';
import { secretGatherer } from './controllers/machine-parts/secret.ts';
import { usageRounds } from './controllers/machine-parts/usage.ts';
import { operations } from './controllers/operation/controller.ts';
import { operationRules } from './controllers/operation/rules.ts';
import { snapshots } from './controllers/snapshot/controller.ts';
import { diskCopies } from './controllers/snapshot/fill.ts';
import { snapshotRules } from './controllers/snapshot/rules.ts';
import { templates } from './controllers/template/controller.ts';
import { templateGatherer } from './controllers/template/gatherer.ts';
import type { ImageProbe } from './controllers/template/image-probe.ts';
import { TEMPLATE_RULES } from './controllers/template/rules.ts';
import { imageGatherer } from './images/gatherer.ts';
import type { ImageVerifier } from './images/verifier.ts';
import type { Vmi } from './kube/kinds/machines.ts';
import type { PolicyRule } from './kube/kinds/rbac.ts';
import type { KubeObject } from './kube/kube-object.ts';
import type { Dialect } from './machine/dialect.ts';
import type { Gatherers } from './machine/gatherer.ts';
import type { Usage } from './machine/metrics.ts';
import type { Review } from './machine/review.ts';
import type { Controller } from './runtime/controller.ts';
import type { Runnable } from './runtime/runnable.ts';

/** Makes of a controller what can be run; its events come from this component. */
export type Running = <T extends KubeObject>(controller: Controller<T>, component: string) => Runnable;

/** Whether machines of hypersdk.io are looked after, and with them all that belongs to the group. */
export function isHypersdkOn(dialects: readonly Dialect[]): boolean {
  return dialects.some(({ kind }) => kind.group === virtualMachine.group);
}

interface HypersdkSettings {
  /** Whose machines can be operated on. */
  readonly dialects: readonly Dialect[];
  readonly review?: Review;
  readonly carbon: Carbon | undefined;
  readonly images: ImageProbe | undefined;
  readonly verifier: ImageVerifier | undefined;
  /** What an instance that runs uses; absent where nobody knows. */
  readonly usage: ((instance: Vmi) => Usage | undefined) | undefined;
  readonly readsSecrets: boolean;
  /** The only namespace that is looked after, where it is one. */
  readonly onlyNamespace: string | undefined;
  readonly clock: Clock;
}

/** What is done for the group beside its machines, and what those are measured by. */
export function hypersdkParts(
  run: Running,
  settings: HypersdkSettings,
): { readonly gatherers: Gatherers; readonly runnables: readonly Runnable[] } {
  const { carbon, dialects, images, verifier, usage, readsSecrets, onlyNamespace, clock, ...reviewing } = settings;
  if (!isHypersdkOn(dialects)) return { gatherers: {}, runnables: [] };
  const within = onlyNamespace === undefined ? {} : { onlyNamespace };
  const probing = images === undefined ? {} : { probe: images };
  const rounds = usage === undefined ? undefined : usageRounds(HYPERSDK_PARTS, { usage, clock });
  const refusals = new ClaimRefusals();
  const made: Gatherers = { claims: claimsGatherer(HYPERSDK_PARTS, true, refusals), template: templateGatherer };
  return {
    gatherers: {
      ...made,
      ...(carbon === undefined
        ? {}
        : { carbon: carbon.gatherer((machine, context) => templateGatherer.gather(machine, context)) }),
      ...(rounds === undefined ? {} : { usage: rounds.gatherer }),
      ...(verifier === undefined ? {} : { image: imageGatherer(verifier, templateGatherer) }),
      ...(readsSecrets ? { secret: secretGatherer } : {}),
    },
    runnables: [
      run(machineParts(HYPERSDK_PARTS, true, refusals, onlyNamespace), 'virtualmachine-controller'),
      run(templates({ ...reviewing, ...probing, verifies: verifier !== undefined }), 'vmtemplate-controller'),
      run(operations({ dialects, gatherers: made, ...within }), 'vmoperation-controller'),
      run(snapshots({ dialects, gatherers: { template: templateGatherer }, ...within }), 'vmsnapshot-controller'),
      run(diskCopies({ dialects, gatherers: { template: templateGatherer }, ...within }), 'vmsnapshot-controller'),
      ...(carbon === undefined ? [] : [carbon.runnable]),
      ...(rounds === undefined ? [] : [rounds.runnable]),
    ],
  };
}

/** What that takes. */
export function hypersdkRules(dialects: readonly Dialect[]): readonly PolicyRule[] {
  return [
    ...machinePartsRules(HYPERSDK_PARTS),
    ...COPIED_PARTS_RULES,
    ...TEMPLATE_RULES,
    ...CARBON_RULES,
    ...operationRules(dialects.map(({ kind }) => kind)),
    ...snapshotRules(dialects.map(({ kind }) => kind)),
  ];
}

/** The kinds of the group, beside its machines, that something acts on. */
export const HYPERSDK_KINDS: readonly Kind[] = [vmTemplate, vmOperation, vmSnapshot];
