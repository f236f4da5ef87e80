/** Public API of the package: kinds and their types, an API server to test against, and its clients. */

export * as hypersdk from '#api/hypersdk/group';
export { KINDS } from '#api/kinds';
export * as kubevirt from '#api/kubevirt/group';
export * as novacron from '#api/novacron/group';
export * as simulation from '#api/simulation/group';
export type { ControlPlane } from '#control-plane/apiserver/control-plane';
export {
  ConnectedPodManager as PodManager,
  ConnectedVmManager as VMManager,
} from '#fleet/library/connected-managers';
export type { ClusterOptions, ManagerOptions, PodManagerOptions } from '#fleet/library/manager-options';
export type { AbsoluteSize, RatioSize, Vm } from '#fleet/library/simulated-vm';
export type { VmStatus } from '#fleet/library/vm-status';
export type { Clock } from '#platform/base/clock';
export { FakeClock } from '#platform/base/fake-clock';
export { formatFieldError } from '#platform/base/field-error';
export { hostClock as realClock } from '#platform/base/host-clock';
export { type Logger, noopLogger as silentLogger } from '#platform/base/logger';
export { type Random, seededRandom, systemRandom } from '#platform/base/random';
export type { ApiExtension, ExtensionAnswer, ExtensionRequest } from '#platform/kube/api-extension';
export type {
  Client,
  KubeList,
  RawRequest,
  RawResponse as RawAnswer,
  ResourceType,
  WatchEvent,
} from '#platform/kube/client';
export { type HttpClient, httpClient } from '#platform/kube/http/http-client';
export {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  KubeError,
} from '#platform/kube/kube-error';
export type { KubeObject } from '#platform/kube/kube-object';
export { loadClusterAccess } from '#platform/kube/kubeconfig/load';
export { nodeHostEnvironment as nodeSurroundings } from '#platform/kube/kubeconfig/node-host-environment';
export { readManifest } from '#platform/kube/manifest';
export type { ContainerLog, LogRequest, NodeRuntime } from '#platform/kube/node-runtime';
export { crdOf } from '#platform/schema/crd';
export type { InputOf, Kind, ObjectOf } from '#platform/schema/kind';
export {
  type OpenVmControlPlane as OpenControlPlane,
  openVmControlPlane as openControlPlane,
  startVmControlPlane as startControlPlane,
  type VmControlPlaneOptions as ControlPlaneOptions,
} from '#programs/embedded/control-plane';
export { type Admit, type Admitted } from '#vm/admission/admit';
export { findAdmission } from '#vm/dialects/admitters';
