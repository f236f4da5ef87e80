import { describe, expect, it } from 'vitest';
import { sequenceOf } from './campaign.ts';
import { APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, type Step } from './step.ts';

const SEQUENCES = 500;
const MIN_STEPS = 20;

const bodyOf = ({ body }: Step) => (typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {});
const hasOption = (step: Step, name: string) => name in bodyOf(step) || name in (step.query ?? {});

/** Properties that a useful campaign must have, with their checks. */
const SORTS: Readonly<Record<string, (step: Step) => boolean>> = {
  creates: ({ method }) => method === 'POST',
  updates: ({ method }) => method === 'PUT',
  'JSON patches': ({ method, contentType }) => method === 'PATCH' && contentType === JSON_PATCH,
  'merge patches': ({ method, contentType }) => method === 'PATCH' && contentType === MERGE_PATCH,
  'strategic patches': ({ method, contentType }) => method === 'PATCH' && contentType === STRATEGIC_PATCH,
  'applied configurations': ({ contentType }) => contentType === APPLY_PATCH,
  'forced configurations': ({ contentType, query }) => contentType === APPLY_PATCH && query?.['force'] === 'true',
  'label selectors': ({ query }) => query?.['labelSelector'] !== undefined,
  'field selectors': ({ query }) => query?.['fieldSelector'] !== undefined,
  'first pages': ({ query }) => query?.['limit'] !== undefined && query['continue'] === undefined,
  'further pages': ({ query }) => query?.['continue'] !== undefined,
  watches: ({ query }) => query?.['watch'] !== undefined,
  'dry runs': (step) => hasOption(step, 'dryRun'),
  'deletes with propagation': (step) => step.method === 'DELETE' && hasOption(step, 'propagationPolicy'),
  'deletes of collections': ({ method, path }) => method === 'DELETE' && /\/(?:gadgets|[a-z]+s)$/.test(path),
  'custom objects': ({ method, path }) => method !== 'GET' && path.includes('/gadgets'),
  definitions: ({ method, path }) => method === 'POST' && path.endsWith('/customresourcedefinitions'),
  'tables and metadata': ({ accept = '' }) => accept.includes('as='),
  subresources: ({ path }) => /\/(?:status|scale|binding|eviction|resize)$/.test(path),
};

describe('the sequences of a campaign', () => {
  const steps = Array.from({ length: SEQUENCES }, (_, number) => sequenceOf('1', number)).flatMap((each) => each.steps);

  it.each(Object.entries(SORTS))('contain %s', (_, is) => {
    expect(steps.filter(is).length).toBeGreaterThan(MIN_STEPS);
  });

  it('are reproducible, and differ between seeds', () => {
    expect(sequenceOf('1', 7)).toEqual(sequenceOf('1', 7));
    expect(sequenceOf('2', 7)).not.toEqual(sequenceOf('1', 7));
  });
});
