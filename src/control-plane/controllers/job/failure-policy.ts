import type { Job, PodFailureRule } from '#platform/kube/kinds/batch';
import type { Pod } from '#platform/kube/kinds/pod';

interface TerminatedContainer {
  readonly name: string;
  readonly state?: { readonly terminated?: { readonly exitCode?: number } };
}

/** Rule of the failure policy that a failed pod matches, with the message that explains it. */
export interface MatchedRule {
  readonly action: PodFailureRule['action'];
  readonly message: string;
}

/** Returns the first rule of the Job's failure policy that a failed pod matches. */
export function matchedRule({ spec }: Job, pod: Pod): MatchedRule | undefined {
  for (const [at, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const found = describeExit(rule, pod) ?? describeCondition(rule, pod);
    if (found !== undefined) {
      const { namespace, name } = pod.metadata;
      const message = `${found.container} for pod ${namespace}/${name} ${found.what} matching ${rule.action} rule at index ${at}`;
      return { action: rule.action, message };
    }
  }
  return undefined;
}

function describeExit({ onExitCodes }: PodFailureRule, { status }: Pod) {
  if (onExitCodes === undefined) return undefined;
  const { containerName, operator, values } = onExitCodes;
  const all = [status?.['initContainerStatuses'], status?.containerStatuses].flatMap(
    (list) => (list ?? []) as readonly TerminatedContainer[],
  );
  for (const { name, state } of all) {
    const code = state?.terminated?.exitCode;
    if (code === undefined || code === 0) continue;
    if (containerName !== undefined && containerName !== name) continue;
    if (values.includes(code) === (operator === 'In')) {
      return { container: `Container ${name}`, what: `failed with exit code ${code}` };
    }
  }
  return undefined;
}

function describeCondition({ onPodConditions = [] }: PodFailureRule, { status }: Pod) {
  for (const { type, status: wanted = 'True' } of onPodConditions) {
    if (status?.conditions?.some((each) => each.type === type && each.status === wanted) === true) {
      return { container: 'Pod', what: `has condition ${type}` };
    }
  }
  return undefined;
}
