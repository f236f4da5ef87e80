import type { GroupName } from '#api/groups';
import type { Vmi } from '#api/kubevirt/resources';
import type { Clock } from '#platform/base/clock';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Controller } from '#platform/runtime/controller';
import type { Runnable } from '#platform/runtime/runnable';
import type { Kind } from '#platform/schema/kind';
import type { ImageProbe } from '#vm/controllers/template/image-probe';
import type { AdmissionRecheck } from '#vm/engine/admission-recheck';
import type { DependencyProvider, DependencyProviders } from '#vm/engine/dependency-provider';
import type { Dialect } from '#vm/engine/dialect';
import type { VmUsage } from '#vm/engine/metrics';
import type { ImageVerifier } from '#vm/images/verifier';
import type { ForecastFits } from './novacron/pool/pool-forecasts.ts';

/** Creates a runnable from a controller. Its events come from this component. */
export type RunController = <T extends KubeObject>(controller: Controller<T>, component: string) => Runnable;

/** Carbon awareness of a process. */
export interface CarbonParts {
  /** Returns the dependency provider. `templateOf` finds the template that a VM names. */
  provider(templateOf?: DependencyProvider<'template'>['provide']): DependencyProvider<'carbon'>;
  /** Polls the carbon intensity. It runs only in the process that acts. */
  readonly runnable: Runnable;
}

export interface GroupDeps {
  readonly run: RunController;
  /** All dialects whose VMs are managed. */
  readonly dialects: readonly Dialect[];
  readonly clock: Clock;
  /** Absent if only admitted objects are stored. */
  readonly recheck?: AdmissionRecheck;
  /** If absent, VMs that request carbon awareness report that it is off. */
  readonly carbon?: CarbonParts | undefined;
  /** Checks the images of templates. If absent, they are not checked. */
  readonly images?: ImageProbe | undefined;
  /** Compares the digests of images with those that VMs specify. If absent, they are not compared. */
  readonly verifier?: ImageVerifier | undefined;
  /** Returns the usage of a running instance. Absent if it is not known. */
  readonly usage?: ((instance: Vmi) => VmUsage | undefined) | undefined;
  /** Permits reading Secrets to check that they exist. */
  readonly readsSecrets?: boolean | undefined;
  /** Computes the fits of forecasts. Defaults to the thread of the controllers, for simulated time. */
  readonly fits?: ForecastFits | undefined;
  /** Image of pools whose template has none. */
  readonly defaultImage?: string | undefined;
  /** The only namespace that is managed, if there is just one. */
  readonly onlyNamespace?: string | undefined;
}

export interface GroupParts {
  /** Dependency providers of the group's VMs. */
  readonly providers: DependencyProviders;
  readonly runnables: readonly Runnable[];
}

/** Controllers of an API group besides the one of its VMs. They run if the group is chosen. */
export interface GroupControllers {
  readonly group: GroupName;
  /** Kinds of the group, besides its VMs, that the controllers act on. */
  readonly kinds: readonly Kind[];
  create(deps: GroupDeps): GroupParts;
  /** Returns the permissions that the controllers need, with these dialects. */
  rules(dialects: readonly Dialect[]): readonly PolicyRule[];
}
