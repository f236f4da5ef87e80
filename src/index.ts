/** What other programs may use of Vimana: its kinds and their types, an API server to test against, and clients of one. */

export { type Admit, type Admitted } from './admission/admit.ts';
export { findAdmission } from './admission/admitters.ts';
export { crdOf } from './api/crd.ts';
export * as hypersdk from './api/hypersdk/group.ts';
export type { InputOf, Kind, ObjectOf } from './api/kind.ts';
export { KINDS } from './api/kinds.ts';
export * as kubevirt from './api/kubevirt/group.ts';
export * as novacron from './api/novacron/group.ts';
export * as simulation from './api/simulation/group.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './apiserver/control-plane.ts';
export { type Clock, realClock } from './base/clock.ts';
export { FakeClock } from './base/fake-clock.ts';
export { formatFieldError } from './base/field-error.ts';
export { type Logger, silentLogger } from './base/logger.ts';
export { type Random, seededRandom, systemRandom } from './base/random.ts';
export type { ApiExtension, ExtensionAnswer, ExtensionRequest } from './kube/api-extension.ts';
export type { Client, KubeList, RawAnswer, RawRequest, ResourceType, WatchEvent } from './kube/client.ts';
export { type HttpClient, httpClient } from './kube/http/http-client.ts';
export {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  KubeError,
} from './kube/kube-error.ts';
export type { KubeObject } from './kube/kube-object.ts';
export { loadClusterAccess } from './kube/kubeconfig/load.ts';
export { nodeSurroundings } from './kube/kubeconfig/node-surroundings.ts';
export { readManifest } from './kube/manifest.ts';
export type { ContainerLog, LogRequest, NodeRuntime } from './kube/node-runtime.ts';
export type { ClusterOptions, ManagerOptions, PodManagerOptions } from './simulation-library/manager-options.ts';
export { PodManager } from './simulation-library/pod-manager.ts';
export type { AbsoluteSize, RatioSize, Vm } from './simulation-library/simulated-vm.ts';
export { VMManager } from './simulation-library/vm-manager.ts';
export type { VmStatus } from './simulation-library/vm-status.ts';
