import { stringify } from 'yaml';
import { HEALTH_RULES, type Health, type HealthRule } from './health-rules.ts';

const FOLDER = 'examples/gitops';

/** Generates the health checks of every kind for Argo CD and Flux. */
export function gitopsFiles(): { path: string; text: string }[] {
  return [
    { path: `${FOLDER}/argocd/argocd-cm.yaml`, text: argoFile() },
    { path: `${FOLDER}/flux/machines.yaml`, text: fluxFile() },
  ];
}

function argoFile(): string {
  const scripts = HEALTH_RULES.map((rule) => {
    const { group, kind } = rule.kind;
    return [`resource.customizations.health.${group}_${kind}`, luaOf(rule)];
  });
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace: 'argocd', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    data: Object.fromEntries(scripts) as Readonly<Record<string, string>>,
  };
  return `# How Argo CD reads the health of every kind: merge this into argocd-cm. Written by 'npm run generate'.
${yaml(configMap)}`;
}

/** Builds the Lua script that Argo CD runs with the object as `obj`. Errors are reported before anything else. */
function luaOf({ lookedAt, conditions, word }: HealthRule): string {
  const wrong = conditions.filter(({ health }) => health === 'Degraded');
  const others = conditions.filter(({ health }) => health !== 'Degraded');
  return [
    'local status = obj.status or {}',
    ...(lookedAt === undefined
      ? []
      : [
          `if status.${lookedAt} == nil or status.${lookedAt} < (obj.metadata.generation or 0) then`,
          '  return { status = "Progressing", message = "the operator has not looked at it yet" }',
          'end',
        ]),
    'local found = {}',
    'for _, each in ipairs(status.conditions or {}) do',
    '  found[each.type] = each',
    'end',
    ...wrong.flatMap(luaCondition),
    'local health = {',
    ...Object.entries(word?.means ?? {}).map(([each, health]) => `  [${JSON.stringify(each)}] = "${health}",`),
    '}',
    `local word = ${word === undefined ? '""' : `status.${word.field} or ""`}`,
    'if health[word] == "Degraded" then',
    '  return { status = "Degraded", message = word }',
    'end',
    ...others.flatMap(luaCondition),
    'return { status = health[word] or "Progressing", message = word }',
    '',
  ].join('\n');
}

function luaCondition({ type, status, health }: HealthRule['conditions'][number]): string[] {
  return [
    `if found.${type} and found.${type}.status == "${status}" then`,
    `  return { status = "${health}", message = found.${type}.message or "${type}" }`,
    'end',
  ];
}

function fluxFile(): string {
  const source = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: 'fleet', namespace: 'flux-system' },
    spec: { interval: '1m', url: 'https://git.example.com/fleet.git', ref: { branch: 'main' } },
  };
  const kustomization = {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'machines', namespace: 'flux-system' },
    spec: {
      interval: '10m',
      sourceRef: { kind: 'GitRepository', name: 'fleet' },
      path: './machines',
      targetNamespace: 'machines',
      prune: true,
      wait: true,
      timeout: '5m',
      healthCheckExprs: HEALTH_RULES.flatMap((rule) => {
        const { kind, group, versions } = rule.kind;
        return versions.map((version) => ({ apiVersion: `${group}/${version}`, kind, ...celOf(rule) }));
      }),
    },
  };
  return `# How Flux keeps machines as a repository has them, and tells when they are. Written by 'npm run generate'.
# A machine of kubevirt.io whose change waits for its next start is in progress until then: Flux goes by
# status.observedGeneration before it asks anything else.
${yaml(source)}---
${yaml(kustomization)}`;
}

/** Builds the expressions for Flux. It has no suspended state, so what is stopped on purpose is current. */
function celOf(rule: HealthRule): { readonly inProgress?: string; readonly failed: string; readonly current: string } {
  const { lookedAt } = rule;
  const late = `!has(status.${lookedAt}) || status.${lookedAt} < metadata.generation`;
  return {
    ...(lookedAt === undefined ? {} : { inProgress: late }),
    failed: anyOf(rule, ['Degraded']),
    current: anyOf(rule, ['Healthy', 'Suspended']),
  };
}

function anyOf({ conditions, word }: HealthRule, healths: readonly Health[]): string {
  const met = conditions
    .filter(({ health }) => healths.includes(health))
    .map(({ type, status }) => `c.type == '${type}' && c.status == '${status}'`);
  const words = Object.entries(word?.means ?? {}).flatMap(([each, health]) =>
    healths.includes(health) ? [`'${each}'`] : [],
  );
  const parts = [
    ...met.map((test) => `has(status.conditions) && status.conditions.exists(c, ${test})`),
    ...(words.length === 0 ? [] : [`has(status.${word?.field}) && status.${word?.field} in [${words.join(', ')}]`]),
  ];
  return parts.length === 0 ? 'false' : parts.map((part) => (parts.length === 1 ? part : `(${part})`)).join(' || ');
}

const yaml = (value: unknown) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
