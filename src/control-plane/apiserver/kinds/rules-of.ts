import { mutatingBindings, mutatingPolicies, validatingBindings, validatingPolicies } from './admission/policies.ts';
import { mutatingWebhooks, validatingWebhooks } from './admission/webhooks.ts';
import { apiServices } from './api-service.ts';
import { autoscalers } from './autoscaler/autoscaler.ts';
import { certificateSigningRequests } from './certificate-signing-request.ts';
import { configMaps, secrets } from './core/config.ts';
import { endpoints } from './core/endpoints.ts';
import { limitRanges } from './core/limits.ts';
import { namespaces } from './core/namespace.ts';
import { nodes } from './core/node.ts';
import { resourceQuotas } from './core/resource-quota.ts';
import { serviceAccounts } from './core/service-account.ts';
import { coreEvents, newerEvents } from './events/validate-event.ts';
import { flowSchemas, priorityLevels } from './flow-control.ts';
import type { KindStrategy } from './kind-strategy.ts';
import { leases } from './lease.ts';
import { endpointSlices } from './network/endpoint-slice.ts';
import { ingressClasses, ingresses } from './network/ingress.ts';
import { networkPolicies } from './network/network-policy.ts';
import { ipAddresses, serviceCidrs } from './network/service-range.ts';
import { pods, podTemplates } from './pod/pod.ts';
import { podDisruptionBudgets, priorityClasses } from './policy.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac.ts';
import { resourceClaims, resourceClaimTemplates } from './resource-claim.ts';
import { runtimeClasses } from './runtime-class.ts';
import { services } from './service/service.ts';
import { csiDrivers, csiNodes, volumeAttachments } from './storage/csi.ts';
import { persistentVolumes } from './storage/persistent-volume.ts';
import { persistentVolumeClaims } from './storage/persistent-volume-claim.ts';
import { csiStorageCapacities, storageClasses, volumeAttributesClasses } from './storage/storage-class.ts';
import { cronJobs } from './workloads/cron-job.ts';
import { daemonSets } from './workloads/daemon-set.ts';
import { deployments } from './workloads/deployment.ts';
import { jobs } from './workloads/job.ts';
import { replicaSets, replicationControllers } from './workloads/replica-set.ts';
import { controllerRevisions, statefulSets } from './workloads/stateful-set.ts';

const RULES: Readonly<Record<string, Readonly<Record<string, KindStrategy>>>> = {
  '': {
    configmaps: configMaps,
    endpoints,
    events: coreEvents,
    limitranges: limitRanges,
    namespaces,
    nodes,
    persistentvolumeclaims: persistentVolumeClaims,
    persistentvolumes: persistentVolumes,
    pods,
    podtemplates: podTemplates,
    replicationcontrollers: replicationControllers,
    resourcequotas: resourceQuotas,
    secrets,
    serviceaccounts: serviceAccounts,
    services,
  },
  'admissionregistration.k8s.io': {
    mutatingadmissionpolicies: mutatingPolicies,
    mutatingadmissionpolicybindings: mutatingBindings,
    mutatingwebhookconfigurations: mutatingWebhooks,
    validatingadmissionpolicies: validatingPolicies,
    validatingadmissionpolicybindings: validatingBindings,
    validatingwebhookconfigurations: validatingWebhooks,
  },
  'apiregistration.k8s.io': { apiservices: apiServices },
  apps: {
    controllerrevisions: controllerRevisions,
    daemonsets: daemonSets,
    deployments,
    replicasets: replicaSets,
    statefulsets: statefulSets,
  },
  autoscaling: { horizontalpodautoscalers: autoscalers },
  batch: { cronjobs: cronJobs, jobs },
  'certificates.k8s.io': { certificatesigningrequests: certificateSigningRequests },
  'coordination.k8s.io': { leases },
  'discovery.k8s.io': { endpointslices: endpointSlices },
  'events.k8s.io': { events: newerEvents },
  'flowcontrol.apiserver.k8s.io': { flowschemas: flowSchemas, prioritylevelconfigurations: priorityLevels },
  'networking.k8s.io': {
    ingressclasses: ingressClasses,
    ingresses,
    ipaddresses: ipAddresses,
    networkpolicies: networkPolicies,
    servicecidrs: serviceCidrs,
  },
  'node.k8s.io': { runtimeclasses: runtimeClasses },
  policy: { poddisruptionbudgets: podDisruptionBudgets },
  'rbac.authorization.k8s.io': {
    clusterrolebindings: clusterRoleBindings,
    clusterroles: clusterRoles,
    rolebindings: roleBindings,
    roles,
  },
  'resource.k8s.io': { resourceclaims: resourceClaims, resourceclaimtemplates: resourceClaimTemplates },
  'scheduling.k8s.io': { priorityclasses: priorityClasses },
  'storage.k8s.io': {
    csidrivers: csiDrivers,
    csinodes: csiNodes,
    csistoragecapacities: csiStorageCapacities,
    storageclasses: storageClasses,
    volumeattachments: volumeAttachments,
    volumeattributesclasses: volumeAttributesClasses,
  },
};

/** Returns the rules of a kind. Kinds without rules are stored unchanged. */
export function rulesOf(group: string, plural: string): KindStrategy {
  return RULES[group]?.[plural] ?? {};
}
