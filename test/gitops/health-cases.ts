import { HEALTH_RULES, type Health, type HealthRule } from '../../tools/generate/health-rules.ts';

/** An object as a GitOps tool sees it, and its expected health. */
export interface HealthCase {
  readonly name: string;
  readonly rule: HealthRule;
  readonly object: { readonly metadata: { readonly generation: number }; readonly status?: object };
  readonly health: Health;
}

const condition = (type: string, status: string) => ({ type, status, message: 'because' });

/** All statuses and conditions of every kind, and objects that were not reconciled yet. */
export const HEALTH_CASES: readonly HealthCase[] = HEALTH_RULES.flatMap((rule) => {
  const { kind, lookedAt, conditions, word } = rule;
  const seen = lookedAt === undefined ? {} : { [lookedAt]: 2 };
  const given = (name: string, status: object | undefined, health: Health): HealthCase => ({
    name: `${kind.kind}.${kind.group}, ${name}`,
    rule,
    object: { metadata: { generation: 2 }, ...(status === undefined ? {} : { status }) },
    health,
  });
  const well = Object.entries(word?.means ?? {}).find(([, health]) => health === 'Healthy');
  const wordOf = (value: string) => (word === undefined ? {} : { [word.field]: value });
  return [
    given('without anything in its status', {}, 'Progressing'),
    ...Object.entries(word?.means ?? {}).map(([value, health]) =>
      given(`${word?.field} ${value}`, { ...seen, ...wordOf(value) }, health),
    ),
    ...conditions.map(({ type, status, health }) =>
      given(
        `${type}=${status}`,
        { ...seen, ...wordOf(well?.[0] ?? ''), conditions: [condition(type, status)] },
        health,
      ),
    ),
    ...conditions.map(({ type }) =>
      given(
        `${type}=Unknown`,
        { ...seen, ...wordOf(well?.[0] ?? ''), conditions: [condition(type, 'Unknown')] },
        well === undefined ? 'Progressing' : 'Healthy',
      ),
    ),
    ...(lookedAt === undefined || well === undefined
      ? []
      : [given('changed since anybody looked', { [lookedAt]: 1, ...wordOf(well[0]) }, 'Progressing')]),
  ];
});
