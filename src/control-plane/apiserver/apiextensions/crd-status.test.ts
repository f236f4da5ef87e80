import { describe, expect, it } from 'vitest';
import type { Crd, CrdNames } from './crd.ts';
import { crdStatus, setCondition, usedNames } from './crd-status.ts';
import { definitionOf } from './plane.fixture.ts';

const NOW = '2030-01-01T00:00:00Z';
const LATER = '2030-01-01T00:00:01Z';

function wanting(names: CrdNames, status?: Crd['status']): Crd {
  const definition = definitionOf(names.plural, names.kind) as Crd;
  return { ...definition, spec: { ...definition.spec, names }, ...(status === undefined ? {} : { status }) };
}

const ducks = { plural: 'ducks', singular: 'duck', kind: 'Duck', listKind: 'DuckList', shortNames: ['d'] };
const accepted = (names: CrdNames) => wanting(names, crdStatus(wanting(names), usedNames([]), NOW));

describe('the names of a CRD', () => {
  it('are accepted if no other CRD has them', () => {
    expect(crdStatus(wanting(ducks), usedNames([]), NOW)).toMatchObject({
      acceptedNames: ducks,
      conditions: [
        { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' },
        { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', lastTransitionTime: NOW },
      ],
    });
  });

  it.each([
    ['PluralConflict', { ...ducks, plural: 'geese' }, '"geese" is already in use'],
    ['SingularConflict', { ...ducks, singular: 'goose' }, '"goose" is already in use'],
    ['ShortNamesConflict', { ...ducks, shortNames: ['g'] }, '"g" is already in use'],
    [
      'ShortNamesConflict',
      { ...ducks, shortNames: ['g', 'x', 'geese'] },
      '["g" is already in use, "geese" is already in use]',
    ],
    ['KindConflict', { ...ducks, kind: 'Goose' }, '"Goose" is already in use'],
    ['ListKindConflict', { ...ducks, listKind: 'GooseList' }, '"GooseList" is already in use'],
    ['KindConflict', { ...ducks, plural: 'geese', kind: 'GooseList' }, '"GooseList" is already in use'],
  ])('are rejected by %s if another CRD has one of them: %j', (reason, names, message) => {
    const geese = accepted({
      plural: 'geese',
      singular: 'goose',
      kind: 'Goose',
      listKind: 'GooseList',
      shortNames: ['g'],
    });
    const { conditions } = crdStatus(wanting(names), usedNames([geese]), NOW);
    expect(conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason, message },
      { type: 'Established', status: 'False', reason: 'NotAccepted' },
    ]);
  });

  it('stay accepted if new ones conflict, and the CRD stays established', () => {
    const other = accepted({ plural: 'geese', kind: 'Goose', shortNames: ['g'] });
    const own = accepted(ducks);
    const changed = wanting({ ...ducks, shortNames: ['g'], categories: ['birds'] }, own.status);
    const status = crdStatus(changed, usedNames([own, other]), LATER);
    expect(status.acceptedNames).toEqual({ ...ducks, categories: ['birds'] });
    expect(status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', lastTransitionTime: LATER },
      { type: 'Established', status: 'True', lastTransitionTime: NOW },
    ]);
  });

  it('may equal names of resources, and other names of the same CRD', () => {
    const own = accepted({ plural: 'sheep', singular: 'sheep', kind: 'Sheep', listKind: 'SheepList' });
    expect(own.status?.conditions?.[0]).toMatchObject({ status: 'True' });
    const again = wanting({ ...own.spec.names, shortNames: ['sheep'] }, own.status);
    expect(crdStatus(again, usedNames([own]), LATER).conditions?.[0]).toMatchObject({ status: 'True' });
  });
});

describe('a condition', () => {
  const condition = {
    type: 'Terminating',
    status: 'True',
    reason: 'A',
    message: 'a',
    lastTransitionTime: NOW,
  } as const;

  it('keeps its transition time until its status changes', () => {
    const before = setCondition({}, condition);
    const after = setCondition(before, { ...condition, reason: 'B', lastTransitionTime: LATER });
    expect(after.conditions).toEqual([{ ...condition, reason: 'B' }]);
    const over = setCondition(after, { ...condition, status: 'False', lastTransitionTime: LATER });
    expect(over.conditions).toMatchObject([{ status: 'False', lastTransitionTime: LATER }]);
  });
});
