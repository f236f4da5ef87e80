import type { Access, ResourceAccess } from './request-info.ts';

export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface Binding {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly Subject[];
}

export interface Person {
  readonly name: string;
  readonly groups: readonly string[];
}

const NON_RESOURCE = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', '/version', '/version/'];

/** Permissions that the default policy of Kubernetes grants to all authenticated users. */
const DEFAULTS: Readonly<Record<string, readonly Rule[]>> = {
  'system:authenticated': [
    { verbs: ['get'], nonResourceURLs: [...NON_RESOURCE, '/healthz', '/livez', '/readyz'] },
    {
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    },
    { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
  ],
  'system:serviceaccounts': [
    {
      verbs: ['get'],
      nonResourceURLs: [
        '/.well-known/openid-configuration',
        '/.well-known/openid-configuration/',
        '/openid/v1/jwks',
        '/openid/v1/jwks/',
      ],
    },
  ],
  'system:masters': [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
};

/** Role-based access control of Kubernetes over the roles and bindings of one lane of the fuzzer. */
export class RbacModel {
  /** Keyed by name. */
  readonly clusterRoles = new Map<string, readonly Rule[]>();
  /** Keyed by `namespace/name`. */
  readonly roles = new Map<string, readonly Rule[]>();
  readonly clusterRoleBindings = new Map<string, Binding>();
  readonly roleBindings = new Map<string, Binding>();
  /** Aggregated cluster roles. */
  readonly aggregated = new Set<string>();

  allows(person: Person, access: Access): boolean {
    const namespace = 'path' in access ? '' : access.namespace;
    return this.rulesOf(person, namespace).some((rule) => ruleAllows(rule, access));
  }

  /** Returns the rules of a user in a namespace. An empty namespace is the whole cluster. */
  rulesOf(person: Person, namespace: string): Rule[] {
    const rules = person.groups.flatMap((group) => DEFAULTS[group] ?? []);
    for (const { roleRef, subjects } of this.clusterRoleBindings.values()) {
      if (subjects.some((subject) => isMember(person, subject))) rules.push(...(this.referenced(roleRef, '') ?? []));
    }
    if (namespace === '') return rules;
    for (const [key, { roleRef, subjects }] of this.roleBindings) {
      if (!key.startsWith(`${namespace}/`)) continue;
      if (subjects.some((subject) => isMember(person, subject))) {
        rules.push(...(this.referenced(roleRef, namespace) ?? []));
      }
    }
    return rules;
  }

  /** Returns the rules of the role of a binding, or undefined if it does not exist. */
  referenced({ kind, name }: Binding['roleRef'], namespace: string): readonly Rule[] | undefined {
    return kind === 'ClusterRole' ? this.clusterRoles.get(name) : this.roles.get(`${namespace}/${name}`);
  }

  /** Reports whether a user has every permission of the rules, and may therefore grant them. */
  covers(person: Person, namespace: string, wanted: readonly Rule[]): boolean {
    const held = this.rulesOf(person, namespace);
    return wanted.flatMap(permissionsIn).every((each) => held.some((rule) => ruleCovers(rule, each)));
  }
}

function isMember({ name, groups }: Person, subject: Subject): boolean {
  if (subject.kind === 'User') return subject.name === name;
  if (subject.kind === 'Group') return groups.includes(subject.name);
  return name === `system:serviceaccount:${subject.namespace}:${subject.name}`;
}

const hasOrAll = (list: readonly string[] | undefined, value: string): boolean =>
  list?.includes('*') === true || list?.includes(value) === true;

function ruleAllows(rule: Rule, access: Access): boolean {
  if (!hasOrAll(rule.verbs, access.verb)) return false;
  if ('path' in access) return matchesUrl(rule, access.path);
  return hasOrAll(rule.apiGroups, access.group) && matchesResource(rule, access) && matchesName(rule, access.name);
}

function matchesResource({ resources = [] }: Rule, { resource, subresource }: ResourceAccess): boolean {
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return hasOrAll(resources, full) || (subresource !== '' && resources.includes(`*/${subresource}`));
}

function matchesName({ resourceNames = [] }: Rule, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

function matchesUrl({ nonResourceURLs = [] }: Rule, path: string): boolean {
  return nonResourceURLs.some(
    (url) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))),
  );
}

/** One verb on one resource, the unit of a rule. */
interface Permission {
  readonly verb: string;
  readonly url?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
}

function permissionsIn(rule: Rule): Permission[] {
  const permissions: Permission[] = [];
  for (const verb of rule.verbs) {
    for (const url of rule.nonResourceURLs ?? []) permissions.push({ verb, url });
    for (const group of rule.apiGroups ?? []) {
      for (const resource of rule.resources ?? []) {
        const names = rule.resourceNames ?? [];
        if (names.length === 0) permissions.push({ verb, group, resource });
        for (const name of names) permissions.push({ verb, group, resource, name });
      }
    }
  }
  return permissions;
}

function ruleCovers(rule: Rule, { verb, url, group = '', resource = '', name }: Permission): boolean {
  if (!hasOrAll(rule.verbs, verb)) return false;
  if (url !== undefined) return matchesUrl(rule, url);
  const { resources = [], resourceNames = [] } = rule;
  const sub = resource.includes('/') ? `*/${resource.slice(resource.indexOf('/') + 1)}` : undefined;
  const resourceMatches = hasOrAll(resources, resource) || (sub !== undefined && resources.includes(sub));
  const nameMatches = resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
  return hasOrAll(rule.apiGroups, group) && resourceMatches && nameMatches;
}
