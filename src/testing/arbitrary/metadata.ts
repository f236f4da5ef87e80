import fc from 'fast-check';
import type { Kind } from '#platform/schema/kind';
import type { FieldHints, HintedPart } from './field-hints.ts';
import { annotations, labels, labelText, qualifiedName, subdomain } from './values.ts';

const AT = '.metadata';
const anyText = fc.string({ minLength: 1 });

/** Returns the hints for type and metadata of a kind's objects. */
export function metadataOf(kind: Kind): FieldHints {
  const [first, ...older] = kind.versions;
  return {
    fields: {
      '.apiVersion': {
        good: fc.constantFrom(first, ...older).map((version) => `${kind.group}/${version}`),
        bad: ['', 'v1', kind.group, `${kind.group}/v0`, 7],
      },
      '.kind': { good: fc.constant(kind.kind), bad: ['', 'Pod', kind.kind.toLowerCase(), 7] },
      [`${AT}.name`]: { good: labelText, bad: subdomain.bad ?? [] },
      [`${AT}.generateName`]: { good: labelText.map((text) => `${text}-`), bad: ['Upper', '-a', 'a b', '.'] },
      [`${AT}.namespace`]: { good: labelText },
      [`${AT}.labels`]: labels,
      [`${AT}.annotations`]: annotations,
      [`${AT}.finalizers[]`]: { good: qualifiedName.good },
    },
    repairs: {
      '': (object: HintedPart) => {
        object['metadata'] ??= { name: 'a', namespace: 'default' };
      },
      [AT]: (meta: HintedPart, draw) => {
        if (meta['generateName'] === undefined) meta['name'] ??= draw.of(labelText);
        meta['namespace'] ??= 'default';
      },
      [`${AT}.ownerReferences`]: (owners: HintedPart[]) => {
        for (const owner of owners.slice(1)) delete owner['controller'];
      },
      [`${AT}.ownerReferences[]`]: (owner: HintedPart, draw) => {
        for (const name of ['apiVersion', 'kind', 'name', 'uid']) if (!owner[name]) owner[name] = draw.of(anyText);
      },
    },
    // The rules of its kind do not apply to a terminating object.
    never: { [`${AT}.deletionTimestamp`]: true },
  };
}
