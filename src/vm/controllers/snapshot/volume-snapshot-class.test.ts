import { describe, expect, it } from 'vitest';
import { classFor, type VolumeSnapshotClass } from './volume-snapshot-class.ts';

const IS_DEFAULT = 'snapshot.storage.kubernetes.io/is-default-class';
const of = (name: string, driver = 'ours', isDefault?: boolean): VolumeSnapshotClass => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name, ...(isDefault === undefined ? {} : { annotations: { [IS_DEFAULT]: `${isDefault}` } }) },
  driver,
});

describe('the class that a volume is captured with', () => {
  it.each([
    { given: 'the only one of its driver', classes: [of('a'), of('b', 'other', true)], name: 'a' },
    { given: 'the one that is marked', classes: [of('a'), of('b', 'ours', true), of('c', 'ours', false)], name: 'b' },
  ])('is $given', ({ classes, name }) => {
    expect(classFor('ours', classes)).toEqual({ name });
  });

  it.each([
    { given: 'there is none', classes: [of('b', 'other', true)], says: /driver ours has no VolumeSnapshotClass$/ },
    { given: 'there are several', classes: [of('a'), of('b')], says: /a, b, and none is marked/ },
    {
      given: 'several are marked',
      classes: [of('a', 'ours', true), of('b', 'ours', true), of('c')],
      says: /a, b, and several are marked/,
    },
  ])('is not guessed if $given', ({ classes, says }) => {
    expect(classFor('ours', classes)).toEqual({ refused: expect.stringMatching(says) as string });
  });
});
