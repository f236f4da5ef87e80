import { integer } from '#platform/schema/schema';

export const observedGeneration = integer('Generation of the spec that this status describes.', {
  format: 'int64',
  minimum: 0,
});
