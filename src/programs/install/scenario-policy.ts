import { simulationScenario } from '#api/simulation/simulation-scenario';
import type { KubeObject } from '#platform/kube/kube-object';
import { policyWith } from './status-policy.ts';

/** Fields of a scenario that act on nodes. */
const PARTS = ['nodes', 'timeline', 'conditionalEvents'];

/** Returns a CEL expression for whether a scenario has one of the actions, at a fixed time or on a condition. */
function hasAction(...actions: readonly string[]): string {
  const names = `[${actions.map((action) => `'${action}'`).join(', ')}]`;
  const among = (list: string, each: string) => `${list}.exists(${each}, ${each}.action in ${names})`;
  const timeline = `has(object.spec.timeline) && ${among('object.spec.timeline', 'e')}`;
  const conditional = `has(object.spec.conditionalEvents) && object.spec.conditionalEvents.exists(c, ${among('c.actions', 'a')})`;
  return `(${timeline}) || (${conditional})`;
}

const takes = (use: string, verb: string) => ({
  expression: `!(${use}) || authorizer.group('').resource('nodes').check('${verb}').allowed()`,
  message: `this scenario requires permission to ${verb} nodes`,
  reason: 'Forbidden',
});

/**
 * Builds the policy by which a namespaced scenario does to cluster-wide nodes only what its author may do. The scenario
 * itself runs with our own permissions.
 */
export function scenarioPolicy(name: string): readonly [KubeObject, KubeObject] {
  const { group, plural } = simulationScenario;
  const changed = PARTS.map((part) => `object.spec.?${part} != oldObject.spec.?${part}`);
  return policyWith(`${name}.nodes.${group}`, {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        { apiGroups: [group], apiVersions: ['*'], resources: [plural], operations: ['CREATE', 'UPDATE'] },
      ],
    },
    // Pausing a scenario does nothing to nodes.
    matchConditions: [
      { name: 'what-happens-to-nodes', expression: `request.operation == 'CREATE' || ${changed.join(' || ')}` },
    ],
    validations: [
      takes(`has(object.spec.nodes) && size(object.spec.nodes) > 0 || ${hasAction('addNodes')}`, 'create'),
      takes(hasAction('removeNodes'), 'delete'),
      takes(hasAction('failNodes', 'recoverNodes'), 'patch'),
    ],
  });
}
