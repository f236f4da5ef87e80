import { expect, it } from 'vitest';
import { formatFieldError } from '#platform/base/field-error';
import { strategyOf } from '../strategy-of.ts';
// Responses of Kubernetes 1.36 to lists of ephemeral containers written to a pod that had some, with the results.
import answers from './ephemeral-containers.data.json' with { type: 'json' };
import { ephemeralContainers } from './ephemeral-containers.ts';
import type { Container, Pod } from './pod-spec.ts';

function podWith(containers: readonly object[]): Pod {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'eph' },
    spec: {
      volumes: [{ name: 'v', emptyDir: {} }],
      initContainers: [{ name: 'i', image: 'x' }],
      containers: [{ name: 'c', image: 'i' }],
      ...(containers.length === 0 ? {} : { ephemeralContainers: structuredClone(containers) as Container[] }),
    },
  };
  strategyOf('', 'pods').defaults?.(pod);
  return pod;
}

it.each(answers)('ephemeral containers are added as in Kubernetes: $given', ({ existing, given, causes, becomes }) => {
  const [old, object] = [podWith(existing), podWith(given)];
  object.spec.hostNetwork = true;
  ephemeralContainers.prepareUpdate(object, old);
  expect(object.spec.hostNetwork).toBeUndefined();
  const found = ephemeralContainers.validate(object, old).map(formatFieldError);
  expect(found).toEqual(causes.map((cause) => cause.replace(/~$/, '')));
  if (becomes !== undefined) expect(object.spec.ephemeralContainers).toEqual(becomes);
});

it('an ordinary update of a pod cannot add, change or remove them', () => {
  const rules = strategyOf('', 'pods');
  const [none, one, other] = [podWith([]), podWith([{ name: 'd', image: 'b' }]), podWith([{ name: 'd', image: 'c' }])];
  expect(rules.validate?.(one, one)).toEqual([]);
  for (const [object, old] of [
    [one, none],
    [other, one],
    [none, one],
  ] as const) {
    expect(rules.validate?.(object, old)).toMatchObject([{ type: 'Forbidden', field: 'spec' }]);
  }
});
