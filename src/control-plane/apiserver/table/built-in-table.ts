import columnData from '../kubernetes/table-columns.data.json' with { type: 'json' };
import type { Row } from './cell.ts';
import type { Column, ResourceTable } from './resource-table.ts';
import { certificateRequestRow, roleBindingRow } from './rows/access.ts';
import { admissionPolicyBindingRow, admissionPolicyRow, webhooksRow } from './rows/admission.ts';
import { autoscalerRow } from './rows/autoscaler.ts';
import { resourceClaimRow, resourceSliceRow } from './rows/device.ts';
import { eventRow } from './rows/event.ts';
import { byPrecedence, flowSchemaRow, priorityLevelRow } from './rows/flow-control.ts';
import {
  endpointSliceRow,
  endpointsRow,
  ingressClassRow,
  ingressRow,
  ipAddressRow,
  networkPolicyRow,
  serviceCidrRow,
  serviceRow,
} from './rows/network.ts';
import { nodeRow } from './rows/node.ts';
import {
  apiServiceRow,
  componentStatusRow,
  configMapRow,
  leaseRow,
  nameAndAgeRow,
  namespaceRow,
  plainRow,
  priorityClassRow,
  resourceQuotaRow,
  runtimeClassRow,
  secretRow,
} from './rows/plain.ts';
import { podRow, podRowConditions, podTemplateRow } from './rows/pod.ts';
import {
  csiDriverRow,
  csiNodeRow,
  persistentVolumeClaimRow,
  persistentVolumeRow,
  storageClassRow,
  volumeAttachmentRow,
  volumeAttributesClassRow,
} from './rows/storage.ts';
import {
  controllerRevisionRow,
  cronJobRow,
  daemonSetRow,
  deploymentRow,
  jobRow,
  podDisruptionBudgetRow,
  replicaSetRow,
  replicationControllerRow,
  statefulSetRow,
} from './rows/workload.ts';

/** Rows by resource. A resource without an entry gets the plain row. */
const ROWS: Readonly<Record<string, Row>> = {
  'v1/componentstatuses': componentStatusRow,
  'v1/configmaps': configMapRow,
  'v1/endpoints': endpointsRow,
  'v1/events': eventRow,
  'v1/namespaces': namespaceRow,
  'v1/nodes': nodeRow,
  'v1/persistentvolumeclaims': persistentVolumeClaimRow,
  'v1/persistentvolumes': persistentVolumeRow,
  'v1/pods': podRow,
  'v1/podtemplates': podTemplateRow,
  'v1/replicationcontrollers': replicationControllerRow,
  'v1/resourcequotas': resourceQuotaRow,
  'v1/secrets': secretRow,
  'v1/serviceaccounts': nameAndAgeRow,
  'v1/services': serviceRow,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': admissionPolicyRow,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': admissionPolicyBindingRow,
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': webhooksRow,
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': admissionPolicyRow,
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': admissionPolicyBindingRow,
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': webhooksRow,
  'apiregistration.k8s.io/v1/apiservices': apiServiceRow,
  'apps/v1/controllerrevisions': controllerRevisionRow,
  'apps/v1/daemonsets': daemonSetRow,
  'apps/v1/deployments': deploymentRow,
  'apps/v1/replicasets': replicaSetRow,
  'apps/v1/statefulsets': statefulSetRow,
  'autoscaling/v1/horizontalpodautoscalers': autoscalerRow,
  'autoscaling/v2/horizontalpodautoscalers': autoscalerRow,
  'batch/v1/cronjobs': cronJobRow,
  'batch/v1/jobs': jobRow,
  'certificates.k8s.io/v1/certificatesigningrequests': certificateRequestRow,
  'coordination.k8s.io/v1/leases': leaseRow,
  'discovery.k8s.io/v1/endpointslices': endpointSliceRow,
  'events.k8s.io/v1/events': eventRow,
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': flowSchemaRow,
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': priorityLevelRow,
  'networking.k8s.io/v1/ingressclasses': ingressClassRow,
  'networking.k8s.io/v1/ingresses': ingressRow,
  'networking.k8s.io/v1/ipaddresses': ipAddressRow,
  'networking.k8s.io/v1/networkpolicies': networkPolicyRow,
  'networking.k8s.io/v1/servicecidrs': serviceCidrRow,
  'node.k8s.io/v1/runtimeclasses': runtimeClassRow,
  'policy/v1/poddisruptionbudgets': podDisruptionBudgetRow,
  'rbac.authorization.k8s.io/v1/clusterrolebindings': roleBindingRow,
  'rbac.authorization.k8s.io/v1/rolebindings': roleBindingRow,
  'resource.k8s.io/v1/deviceclasses': nameAndAgeRow,
  'resource.k8s.io/v1/resourceclaims': resourceClaimRow,
  'resource.k8s.io/v1/resourceclaimtemplates': nameAndAgeRow,
  'resource.k8s.io/v1/resourceslices': resourceSliceRow,
  'scheduling.k8s.io/v1/priorityclasses': priorityClassRow,
  'storage.k8s.io/v1/csidrivers': csiDriverRow,
  'storage.k8s.io/v1/csinodes': csiNodeRow,
  'storage.k8s.io/v1/storageclasses': storageClassRow,
  'storage.k8s.io/v1/volumeattachments': volumeAttachmentRow,
  'storage.k8s.io/v1/volumeattributesclasses': volumeAttributesClassRow,
};

const COLUMNS: Readonly<Record<string, readonly Omit<Column, 'description'>[]>> = columnData;

/** Row conditions and sort orders of the resources that have any. */
const SPECIAL: Readonly<Record<string, Pick<ResourceTable, 'conditions' | 'compare'>>> = {
  'v1/pods': { conditions: podRowConditions },
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': { compare: byPrecedence },
};

/** All resources with a table, as `v1/pods` or `apps/v1/deployments`. */
export const builtInTables: readonly string[] = Object.keys(COLUMNS);

/**
 * Returns the table of a built-in resource such as `v1/pods` or `apps/v1/deployments`, undefined for an unknown one.
 */
export function builtInTable(resource: string): ResourceTable | undefined {
  if (!Object.hasOwn(COLUMNS, resource)) return undefined;
  const columns = (COLUMNS[resource] ?? []).map(({ name, type, format, priority }) => {
    return { name, type, format, description: '', priority };
  });
  const cells: Row = (Object.hasOwn(ROWS, resource) ? ROWS[resource] : undefined) ?? plainRow;
  return { columns, cells, ...SPECIAL[resource] };
}
