import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { KINDS } from '#api/kinds';
import type { JsonSchema } from '#platform/schema/json-schema';
import { KUBERNETES } from '#platform/structural/cel/environment';
import { valueOfJson } from '#platform/structural/cel/json-value';
import { compileProgram } from '#platform/structural/cel/program';
import { DYN } from '#platform/structural/cel/types';
import { HEALTH_RULES } from '../../tools/generate/health-rules.ts';
import { HEALTH_CASES } from './health-cases.ts';

interface Expressions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly inProgress?: string;
  readonly failed?: string;
  readonly current: string;
}

const [, { spec }] = parseAllDocuments(readFileSync('examples/gitops/flux/machines.yaml', 'utf8')).map(
  (document) => document.toJSON() as unknown,
) as [unknown, { spec: { healthCheckExprs: readonly Expressions[] } }];
const environment = KUBERNETES.extend(
  new Map([
    ['metadata', DYN],
    ['status', DYN],
  ]),
);

function holds(source: string | undefined, { metadata, status }: { metadata: object; status?: object }): boolean {
  if (source === undefined) return false;
  const program = compileProgram(source, environment);
  if ('problem' in program) throw new Error(program.problem);
  return program.evaluate([valueOfJson(metadata), valueOfJson(status)]) === true;
}

/** Evaluates health as Flux does. */
function fluxStatus(each: Expressions, object: { metadata: { generation: number }; status?: object }): string {
  const { observedGeneration } = (object.status ?? {}) as { observedGeneration?: number };
  if (observedGeneration !== undefined && observedGeneration !== object.metadata.generation) return 'InProgress';
  if (holds(each.inProgress, object)) return 'InProgress';
  if (holds(each.failed, object)) return 'Failed';
  return holds(each.current, object) ? 'Current' : 'InProgress';
}

const FOR_FLUX = { Healthy: 'Current', Suspended: 'Current', Progressing: 'InProgress', Degraded: 'Failed' };

describe('the health of objects in a repository', () => {
  it('is defined for every kind and version', () => {
    const told = spec.healthCheckExprs.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
    const kinds = KINDS.flatMap(({ group, versions, kind }) => versions.map((each) => `${group}/${each} ${kind}`));
    expect(told.toSorted()).toEqual(kinds.toSorted());
  });

  it.each(HEALTH_RULES.map((rule) => [`${rule.kind.kind}.${rule.kind.group}`, rule] as const))(
    'is known for every possible status of %s',
    (_name, { kind, word, lookedAt }) => {
      const status = kind.schema.properties?.['status'] as JsonSchema;
      if (lookedAt !== undefined) expect(Object.keys(status.properties ?? {})).toContain(lookedAt);
      if (word === undefined) return;
      const words = status.properties?.[word.field]?.enum ?? [];
      expect(Object.keys(word.means).toSorted()).toEqual([...words].map(String).toSorted());
    },
  );

  it.each(HEALTH_CASES.map((each) => [each.name, each] as const))('is read by Flux: %s', (_name, each) => {
    const { kind, group } = each.rule.kind;
    const found = spec.healthCheckExprs.filter((one) => one.kind === kind && one.apiVersion.startsWith(`${group}/`));
    expect(found.length).toBeGreaterThan(0);
    for (const expressions of found) expect(fluxStatus(expressions, each.object)).toBe(FOR_FLUX[each.health]);
  });
});
