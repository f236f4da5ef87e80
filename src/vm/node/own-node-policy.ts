import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { NODE_RULES } from './rbac.ts';

/** Resources that the fleets of `vimana up` use for simulated nodes and disks, and a real node's agent does not. */
const OF_FLEETS = new Set(['nodes/status', 'persistentvolumeclaims', 'vmsnapshots', 'vmsnapshots/status']);
const READING = new Set(['get', 'list', 'watch']);

/** Permissions of the node agent of a single node. OWN_NODE_POLICY limits the objects that it may write. */
export const AGENT_RULES: readonly PolicyRule[] = NODE_RULES.filter(
  ({ resources = [] }) => !resources.some((resource) => OF_FLEETS.has(resource)),
).map((rule) =>
  rule.resources?.includes('nodes') === true
    ? { ...rule, verbs: rule.verbs.filter((verb) => READING.has(verb)) }
    : rule,
);

const KUBERNETES = { apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'] };
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const resource = (name: string) => `request.resource.resource == '${name}'`;

/**
 * Rules of a ValidatingAdmissionPolicy that limit node agents, which share one ServiceAccount, to their own nodes. A
 * token mounted into a pod names the node of that pod, and nothing else can have it.
 */
export const OWN_NODE_POLICY = {
  failurePolicy: 'Fail',
  matchConstraints: {
    resourceRules: [
      { apiGroups: [''], ...KUBERNETES, resources: ['pods', 'pods/*', 'nodes', 'nodes/*'] },
      { apiGroups: ['coordination.k8s.io'], ...KUBERNETES, resources: ['leases'] },
      {
        apiGroups: ['kubevirt.io'],
        ...KUBERNETES,
        resources: ['virtualmachineinstances', 'virtualmachineinstances/*'],
      },
    ],
  },
  variables: [
    {
      name: 'node',
      expression: `has(request.userInfo.extra) && '${NODE_NAME}' in request.userInfo.extra ? request.userInfo.extra['${NODE_NAME}'][0] : ''`,
    },
    { name: 'subject', expression: "request.operation == 'CREATE' ? object : oldObject" },
    {
      name: 'holder',
      expression: `${resource('virtualmachineinstances')} && has(variables.subject.status) && has(variables.subject.status.nodeName) ? variables.subject.status.nodeName : ''`,
    },
    {
      name: 'migration',
      expression: `${resource('virtualmachineinstances')} && has(variables.subject.status) && has(variables.subject.status.migrationState) ? variables.subject.status.migrationState : {}`,
    },
    {
      name: 'target',
      expression: "has(variables.migration.targetNode) ? variables.migration.targetNode : ''",
    },
  ],
  validations: [
    {
      expression: "variables.node != ''",
      message: 'a node agent must use the token of its pod, which is bound to its node',
      reason: 'Forbidden',
    },
    {
      expression: `!(${resource('nodes')}) || variables.subject.metadata.name == variables.node`,
      message: 'a node agent may only write its own node',
      reason: 'Forbidden',
    },
    {
      expression: `!(${resource('leases')}) || (request.namespace == 'kube-node-lease' && variables.subject.metadata.name == variables.node)`,
      message: 'a node agent may only write the lease of its own node',
      reason: 'Forbidden',
    },
    {
      expression: `!(${resource('pods')}) || (has(variables.subject.spec.nodeName) && variables.subject.spec.nodeName == variables.node)`,
      message: 'a node agent may only write pods of its own node',
      reason: 'Forbidden',
    },
    {
      expression: `!(${resource('virtualmachineinstances')}) || variables.holder == '' || variables.holder == variables.node || variables.target == variables.node`,
      message: 'a node agent may only write instances of its own node and those that migrate to it',
      reason: 'Forbidden',
    },
    {
      // The source of a migration hands the instance over with its last write.
      expression: `!(${resource('virtualmachineinstances')}) || request.operation != 'UPDATE' || !has(object.status) || !has(object.status.nodeName) || object.status.nodeName == variables.node || object.status.nodeName == variables.holder || (variables.holder == variables.node && object.status.nodeName == variables.target)`,
      message: 'a node agent may only assign an instance to its own node or the target of its migration',
      reason: 'Forbidden',
    },
  ],
};
