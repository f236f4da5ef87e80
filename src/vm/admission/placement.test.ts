import { describe, expect, test } from 'vitest';
import { formatFieldError } from '#platform/base/field-error';
import { validateAffinity, validateTolerations } from './placement.ts';

const reported = (errors: readonly Parameters<typeof formatFieldError>[0][]) => errors.map(formatFieldError);

describe('a toleration', () => {
  type Toleration = NonNullable<Parameters<typeof validateTolerations>[1]>[number];
  const check = (toleration: Toleration) => reported(validateTolerations('spec.tolerations', [toleration]));

  test.each<Toleration>([
    { operator: 'Exists' },
    { key: 'dedicated', value: 'vms', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
    { key: 'load', operator: 'Lt', value: '-5' },
  ])('may be %o', (toleration) => {
    expect(check(toleration)).toEqual([]);
  });

  test.each<[Toleration, string]>([
    [
      {},
      'operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
    [
      { key: 'a', operator: 'Exists', value: 'b' },
      `operator: Invalid value: "b": value must be empty when \`operator\` is 'Exists'`,
    ],
    [
      { key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 1 },
      `effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
    ],
    [
      { key: 'a', operator: 'Gt', value: 'much' },
      `value: Invalid value: "much": must be a whole number when \`operator\` is 'Lt' or 'Gt'`,
    ],
    [{ key: '/a', operator: 'Exists' }, 'key: Invalid value: "/a": prefix part must be non-empty'],
  ])('may not be %o', (toleration, cause) => {
    expect(check(toleration)).toEqual([`spec.tolerations[0].${cause}`]);
  });
});

describe('affinity', () => {
  const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
  const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
  type Affinity = NonNullable<Parameters<typeof validateAffinity>[1]>;
  const check = (affinity: Affinity) => reported(validateAffinity('a', affinity));
  type NodeTerm = NonNullable<NonNullable<Affinity['nodeAffinity']>[typeof PREFERRED]>[number]['preference'];
  const node = (preference: NonNullable<NodeTerm>) =>
    check({ nodeAffinity: { [PREFERRED]: [{ weight: 1, preference }] } });
  const AT = `a.nodeAffinity.${PREFERRED}[0].preference`;

  test('may be absent or valid', () => {
    expect(reported(validateAffinity('a'))).toEqual([]);
    expect(
      check({
        nodeAffinity: {
          [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['8'] }] }] },
          [PREFERRED]: [
            { weight: 1, preference: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] } },
          ],
        },
        podAffinity: { [PREFERRED]: [{ weight: 5, podAffinityTerm: { topologyKey: 'zone' } }] },
        podAntiAffinity: { [REQUIRED]: [{ labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'zone' }] },
      }),
    ).toEqual([]);
  });

  test('requires a term if it is required', () => {
    expect(check({ nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [] } } })).toEqual([
      `a.nodeAffinity.${REQUIRED}.nodeSelectorTerms: Required value: must have at least one node selector term`,
    ]);
  });

  test.each<[NonNullable<NodeTerm>, string]>([
    [
      { matchExpressions: [{ key: 'k', operator: 'In' }] },
      `matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    ],
    [
      { matchExpressions: [{ key: 'k', operator: 'Exists', values: ['v'] }] },
      `matchExpressions[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
    ],
    [
      { matchExpressions: [{ key: 'k', operator: 'Lt', values: ['1', '2'] }] },
      `matchExpressions[0].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
    ],
    [
      { matchFields: [{ key: 'spec.x', operator: 'In', values: ['v'] }] },
      'matchFields[0].key: Invalid value: "spec.x": not a valid field selector key',
    ],
    [
      { matchFields: [{ key: 'metadata.name', operator: 'Exists' }] },
      'matchFields[0].operator: Invalid value: "Exists": not a valid selector operator',
    ],
    [
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] },
      `matchFields[0].values: Required value: must be only one value when \`operator\` is 'In' or 'NotIn' for node field selector`,
    ],
  ])('may not select nodes by %j', (term, cause) => {
    expect(node(term)).toEqual([`${AT}.${cause}`]);
  });

  test('reports invalid labels, namespaces and topology keys of pods by their path', () => {
    const podAffinityTerm = {
      labelSelector: { matchLabels: { app: 'a b' }, matchExpressions: [{ key: 'k', operator: 'In' as const }] },
      namespaces: ['Shop'],
      topologyKey: '',
    };
    const places = check({ podAntiAffinity: { [PREFERRED]: [{ weight: 1, podAffinityTerm }] } }).map(
      (text) => text.split(': ')[0],
    );
    const at = `a.podAntiAffinity.${PREFERRED}[0].podAffinityTerm`;
    expect(places).toEqual([
      `${at}.labelSelector.matchLabels[app]`,
      `${at}.labelSelector.matchExpressions[0].values`,
      `${at}.namespaces[0]`,
      `${at}.topologyKey`,
    ]);
  });
});
