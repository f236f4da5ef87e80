import type { UserRules } from './rbac.ts';
import { missingRoles } from './rbac.ts';
import type { PolicyRule } from './rbac-objects.ts';

/** Status of a SelfSubjectRulesReview. */
export interface RulesReviewStatus {
  readonly resourceRules: readonly Omit<PolicyRule, 'nonResourceURLs'>[];
  readonly nonResourceRules: readonly Pick<PolicyRule, 'verbs' | 'nonResourceURLs'>[];
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

/** Reports what a user may do, as `kubectl auth can-i --list` shows it. */
export function rulesReview({ rules, missing }: UserRules): RulesReviewStatus {
  const resourceRules = [];
  const nonResourceRules = [];
  for (const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } of rules) {
    if (resources?.length) {
      resourceRules.push({
        verbs,
        apiGroups: apiGroups ?? [],
        resources,
        ...(resourceNames?.length ? { resourceNames } : {}),
      });
    }
    if (nonResourceURLs?.length) nonResourceRules.push({ verbs, nonResourceURLs });
  }
  const evaluationError = missing.length > 0 ? { evaluationError: missingRoles(missing) } : {};
  return { resourceRules, nonResourceRules, incomplete: false, ...evaluationError };
}
