import { virtualMachine } from '#api/hypersdk/virtual-machine';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { vmTemplate } from '#api/hypersdk/vm-template';
import type { Vmi } from '#api/kubevirt/resources';
import type { Clock } from '#platform/base/clock';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Controller } from '#platform/runtime/controller';
import type { Runnable } from '#platform/runtime/runnable';
import type { Kind } from '#platform/schema/kind';
import { operations } from '#vm/controllers/operation/controller';
import { operationRules } from '#vm/controllers/operation/rbac';
import { snapshots } from '#vm/controllers/snapshot/controller';
import { diskPopulator } from '#vm/controllers/snapshot/disk-populator';
import { snapshotRules } from '#vm/controllers/snapshot/rbac';
import { templates } from '#vm/controllers/template/controller';
import type { ImageProbe } from '#vm/controllers/template/image-probe';
import { TEMPLATE_RULES } from '#vm/controllers/template/rbac';
import { templateProvider } from '#vm/controllers/template/template-provider';
import { ClaimErrors } from '#vm/controllers/vm-resources/claim-errors';
import { claimsProvider } from '#vm/controllers/vm-resources/claims-provider';
import { vmResources } from '#vm/controllers/vm-resources/controller';
import { HYPERSDK_RESOURCES } from '#vm/controllers/vm-resources/hypersdk';
import { CLONED_RESOURCE_RULES, vmResourceRules } from '#vm/controllers/vm-resources/rbac';
import { secretProvider } from '#vm/controllers/vm-resources/secret';
import { usageRounds } from '#vm/controllers/vm-resources/usage';
import type { AdmissionRecheck } from '#vm/engine/admission-recheck';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import type { Dialect } from '#vm/engine/dialect';
import type { Usage } from '#vm/engine/metrics';
import { imageProvider } from '#vm/images/image-provider';
import type { ImageVerifier } from '#vm/images/verifier';
import { CARBON_RULES, type Carbon } from './carbon.ts';

/** Creates a runnable from a controller. Its events come from this component. */
export type Running = <T extends KubeObject>(controller: Controller<T>, component: string) => Runnable;

/** Reports whether VMs of hypersdk.io are managed, and with them the other kinds of the group. */
export function isHypersdkOn(dialects: readonly Dialect[]): boolean {
  return dialects.some(({ kind }) => kind.group === virtualMachine.group);
}

interface HypersdkSettings {
  /** Dialects whose VMs support operations. */
  readonly dialects: readonly Dialect[];
  readonly review?: AdmissionRecheck;
  readonly carbon: Carbon | undefined;
  readonly images: ImageProbe | undefined;
  readonly verifier: ImageVerifier | undefined;
  /** Returns the usage of a running instance. Absent if it is not known. */
  readonly usage: ((instance: Vmi) => Usage | undefined) | undefined;
  readonly readsSecrets: boolean;
  /** The only namespace that is managed, if there is just one. */
  readonly onlyNamespace: string | undefined;
  readonly clock: Clock;
}

/** Creates the group's controllers besides that of its VMs, and the dependency providers of its VMs. */
export function hypersdkParts(
  run: Running,
  settings: HypersdkSettings,
): { readonly providers: DependencyProviders; readonly runnables: readonly Runnable[] } {
  const { carbon, dialects, images, verifier, usage, readsSecrets, onlyNamespace, clock, ...reviewing } = settings;
  if (!isHypersdkOn(dialects)) return { providers: {}, runnables: [] };
  const within = onlyNamespace === undefined ? {} : { onlyNamespace };
  const probing = images === undefined ? {} : { probe: images };
  const rounds = usage === undefined ? undefined : usageRounds(HYPERSDK_RESOURCES, { usage, clock });
  const refusals = new ClaimErrors();
  const made: DependencyProviders = {
    claims: claimsProvider(HYPERSDK_RESOURCES, true, refusals),
    template: templateProvider,
  };
  return {
    providers: {
      ...made,
      ...(carbon === undefined
        ? {}
        : { carbon: carbon.provider((machine, context) => templateProvider.provide(machine, context)) }),
      ...(rounds === undefined ? {} : { usage: rounds.provider }),
      ...(verifier === undefined ? {} : { image: imageProvider(verifier, templateProvider) }),
      ...(readsSecrets ? { secret: secretProvider } : {}),
    },
    runnables: [
      run(vmResources(HYPERSDK_RESOURCES, true, refusals, onlyNamespace), 'virtualmachine-controller'),
      run(templates({ ...reviewing, ...probing, verifies: verifier !== undefined }), 'vmtemplate-controller'),
      run(operations({ dialects, providers: made, ...within }), 'vmoperation-controller'),
      run(snapshots({ dialects, providers: { template: templateProvider }, ...within }), 'vmsnapshot-controller'),
      run(diskPopulator({ dialects, gatherers: { template: templateProvider }, ...within }), 'vmsnapshot-controller'),
      ...(carbon === undefined ? [] : [carbon.runnable]),
      ...(rounds === undefined ? [] : [rounds.runnable]),
    ],
  };
}

/** Returns the permissions for the group. */
export function hypersdkRules(dialects: readonly Dialect[]): readonly PolicyRule[] {
  return [
    ...vmResourceRules(HYPERSDK_RESOURCES),
    ...CLONED_RESOURCE_RULES,
    ...TEMPLATE_RULES,
    ...CARBON_RULES,
    ...operationRules(dialects.map(({ kind }) => kind)),
    ...snapshotRules(dialects.map(({ kind }) => kind)),
  ];
}

/** Kinds of the group, besides its VMs, that a controller acts on. */
export const HYPERSDK_KINDS: readonly Kind[] = [vmTemplate, vmOperation, vmSnapshot];
