import { stringify } from 'yaml';
import { KINDS } from '#api/kinds';
import { CLUSTER_EXPORTER_RULES } from '#fleet/exporter/rbac';
import type { ClusterRole, PolicyRule } from '#platform/kube/kinds/rbac';
import { NODE_LEASE_NAMESPACE } from '#platform/kube/node-lease';
import { EVENT_RULES } from '#platform/runtime/rbac';
import { crdOf } from '#platform/schema/crd';
import type { Kind } from '#platform/schema/kind';
import { DIALECT_NAMES, type DialectName } from '#programs/cli/up';
import { GROUPS } from '#programs/install/crds';
import { STATUS_VALIDATION } from '#programs/install/status-policy';
import { dialectsOf, instanceOperatorRules, vmOperatorRules } from '#programs/operator/controllers';
import { FRONT_PROXY } from '#programs/operator/front-proxy';
import {
  AGGREGATION_RULES,
  API_SERVICES,
  FRONT_PROXY_RULES,
  homeRules,
  lookupRules,
  webhookRules,
} from '#programs/operator/rbac';
import { WEBHOOK_PATHS } from '#programs/operator/webhook-routes';
import { NODE_LEASE_RULES } from '#vm/controllers/instance/rbac';
import { operandRules } from '#vm/controllers/operation/rbac';
import { SUBRESOURCE_RULES } from '#vm/engine/subresources/rbac';
import { USER_ROLES } from '#vm/engine/subresources/roles';
import { AGENT_RULES, OWN_NODE_POLICY } from '#vm/node/own-node-policy';
import { compactRules } from './compact-rules.ts';

const CHART = 'deploy/helm/vimana';
const HEADER = "# Written by 'npm run generate' from src; edit it there.\n";
/** Placeholder for the name of the release, which the chart replaces. */
const NAME = 'RELEASE-NAME';

export const CHART_CRDS = `${CHART}/files/crds`;

/**
 * Generates the chart's files that follow from the code: CRDs, permissions of each component, and what is served where.
 */
export function chartFiles(): { path: string; text: string }[] {
  const data = {
    dialects: Object.fromEntries(DIALECT_NAMES.map((name) => [name, dialectData(name)])),
    instances: {
      kinds: KINDS.filter(isInstance).map(kindData),
      rules: compactRules(instanceOperatorRules()),
      userRoles: USER_ROLES.map(roleData),
      seen: seen(GROUPS.kubevirt, KINDS.filter(isInstance)),
    },
    nodeLeases: { rules: compactRules(NODE_LEASE_RULES), namespace: NODE_LEASE_NAMESPACE },
    subresources: {
      rules: compactRules([...SUBRESOURCE_RULES, ...AGGREGATION_RULES]),
      apiServices: API_SERVICES,
    },
    statusPolicy: STATUS_VALIDATION,
    always: { rules: compactRules(EVENT_RULES) },
    webhook: { rules: compactRules(webhookRules(NAME)), paths: WEBHOOK_PATHS },
    frontProxy: { rules: compactRules(FRONT_PROXY_RULES), namespace: FRONT_PROXY.namespace },
    home: { rules: compactRules(homeRules(NAME)) },
    node: { rules: compactRules(AGENT_RULES), policy: OWN_NODE_POLICY },
    exporter: exporterData(),
    dashboard: { rules: seen('', SHOWN) },
  };
  return [{ path: `${CHART}/files/parts.yaml`, text: `${HEADER}${yaml(data)}` }, ...KINDS.map(definition)];
}

function dialectData(name: DialectName): object {
  const kinds = KINDS.filter((kind) => kind.group === GROUPS[name] && !isInstance(kind));
  const built = dialectsOf([name]);
  return {
    group: GROUPS[name],
    kinds: kinds.map(kindData),
    rules: compactRules([...vmOperatorRules(built), ...lookupRules(name)]),
    // These rules apply only with operations, which belong to another group.
    operated: name === 'hypersdk' ? [] : compactRules(built.flatMap(({ kind }) => operandRules(kind))),
    // Roles of kubevirt.io cover instances too, and are installed with them.
    userRoles: name === 'kubevirt' ? [] : userRoles(GROUPS[name], kinds),
    seen: seen(GROUPS[name], kinds),
  };
}

/**
 * Returns the exporter's permissions. Nodes and reviews are cluster-wide; the others can be limited to one namespace.
 */
function exporterData(): object {
  const isOfCluster = ({ resources = [] }: PolicyRule) =>
    resources.some((each) => each === 'nodes' || each.endsWith('reviews'));
  return {
    clusterRules: compactRules(CLUSTER_EXPORTER_RULES.filter(isOfCluster)),
    rules: compactRules(CLUSTER_EXPORTER_RULES.filter((rule) => !isOfCluster(rule))),
  };
}

const isInstance = ({ group, kind }: Kind) => group === GROUPS.kubevirt && kind !== 'VirtualMachine';
const kindData = ({ plural, versions }: Kind) => ({ plural, versions });

const READ = ['get', 'list', 'watch'];
/** Kubernetes resources that an overview of the fleet shows. */
const SHOWN = ['nodes', 'namespaces', 'pods', 'events', 'persistentvolumeclaims'].map((plural) => ({ plural }));
const WRITE = [...READ, 'create', 'update', 'patch', 'delete'];

function seen(group: string, kinds: readonly { readonly plural: string }[]): PolicyRule[] {
  return [{ apiGroups: [group], resources: kinds.map(({ plural }) => plural), verbs: READ }];
}

function userRoles(group: string, kinds: readonly Kind[]): object[] {
  const resources = kinds.map(({ plural }) => plural);
  const verbs = { view: READ, edit: WRITE, admin: [...WRITE, 'deletecollection'] };
  return Object.entries(verbs).map(([name, allowed]) => ({
    name: `${group}:${name}`,
    aggregateTo: name,
    rules: [{ apiGroups: [group], resources, verbs: allowed }] satisfies PolicyRule[],
  }));
}

function roleData({ metadata, rules = [] }: ClusterRole): object {
  const name = metadata.name ?? '';
  return { name, aggregateTo: name.slice(name.indexOf(':') + 1), rules: compactRules(rules) };
}

/** Returns the file of a CRD. CRDs outlive the release, since deleting them would delete every VM. */
function definition(kind: Kind): { path: string; text: string } {
  const crd = crdOf(kind) as { readonly metadata: { readonly annotations?: object } };
  const annotations = { ...crd.metadata.annotations, 'helm.sh/resource-policy': 'keep' };
  const kept = { ...crd, metadata: { ...crd.metadata, annotations } };
  return { path: `${CHART_CRDS}/${kind.plural}.${kind.group}.yaml`, text: `${HEADER}${yaml(kept)}` };
}

const yaml = (value: unknown) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' });
