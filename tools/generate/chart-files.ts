import { stringify } from 'yaml';
import { crdOf } from '../../src/api/crd.ts';
import type { Kind } from '../../src/api/kind.ts';
import { KINDS } from '../../src/api/kinds.ts';
import { DIALECT_NAMES, type DialectName } from '../../src/cli/up.ts';
import { NODE_LEASE_RULES } from '../../src/controllers/instance/rules.ts';
import { operatedRules } from '../../src/controllers/operation/rules.ts';
import { CLUSTER_EXPORTER_RULES } from '../../src/exporter/rules.ts';
import { GROUPS } from '../../src/install/definitions.ts';
import type { ClusterRole, PolicyRule } from '../../src/kube/kinds/rbac.ts';
import { NODE_LEASE_NAMESPACE } from '../../src/kube/node-lease.ts';
import { STATUS_VALIDATION } from '../../src/kube/status-policy.ts';
import { USER_ROLES } from '../../src/machine/subresources/roles.ts';
import { SUBRESOURCE_RULES } from '../../src/machine/subresources/rules.ts';
import { AGENT_RULES, OWN_NODE_POLICY } from '../../src/node/own-node-policy.ts';
import { FRONT_PROXY } from '../../src/operator/front-proxy.ts';
import {
  AGGREGATION_RULES,
  API_SERVICES,
  FRONT_PROXY_RULES,
  homeRules,
  lookupRules,
  webhookRules,
} from '../../src/operator/rules.ts';
import { WEBHOOK_PATHS } from '../../src/operator/webhook-routes.ts';
import { dialectsOf, instanceOperatorRules, machineOperatorRules } from '../../src/operator.ts';
import { EVENT_RULES } from '../../src/runtime/rules.ts';
import { compactRules } from './compact-rules.ts';

const CHART = 'deploy/helm/vimana';
const HEADER = "# Written by 'npm run generate' from src; edit it there.\n";
/** Stands for the name of the release, which the chart knows. */
const NAME = 'RELEASE-NAME';

export const CHART_CRDS = `${CHART}/files/crds`;

/** What the chart has from the code: definitions of kinds, rights of each part, and what is served where. */
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
    rules: compactRules([...machineOperatorRules(built), ...lookupRules(name)]),
    // Beside operations, which come with another group.
    operated: name === 'hypersdk' ? [] : compactRules(built.flatMap(({ kind }) => operatedRules(kind))),
    // Those of kubevirt.io speak of instances too, and come with them.
    userRoles: name === 'kubevirt' ? [] : userRoles(GROUPS[name], kinds),
    seen: seen(GROUPS[name], kinds),
  };
}

/** Nodes and reviews belong to the cluster; all else may be that of one namespace. */
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
/** What of Kubernetes itself a picture of the fleet shows. */
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

/** Definitions outlive the release, or its removal would take every machine along. */
function definition(kind: Kind): { path: string; text: string } {
  const crd = crdOf(kind) as { readonly metadata: { readonly annotations?: object } };
  const annotations = { ...crd.metadata.annotations, 'helm.sh/resource-policy': 'keep' };
  const kept = { ...crd, metadata: { ...crd.metadata, annotations } };
  return { path: `${CHART_CRDS}/${kind.plural}.${kind.group}.yaml`, text: `${HEADER}${yaml(kept)}` };
}

const yaml = (value: unknown) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' });
