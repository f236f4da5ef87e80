import type { Random } from '#platform/base/random';
import { type Seed, seedsOf } from '../../../fuzz/seeds.ts';
import { GROUP, gadget } from '../definition.ts';
import { corrupted } from '../plausible.ts';
import { collection, JSON_PATCH, MERGE_PATCH, NAMESPACE, STRATEGIC_PATCH, type Step, versionOf } from '../step.ts';

/** Valid objects of every kind. Cluster-scoped ones have the name of the sequence. */
export const SEEDS: readonly Seed[] = [
  ...seedsOf(NAMESPACE, GROUP)
    .filter(({ apiVersion, plural }) => !apiVersion.startsWith(GROUP) && !plural.endsWith('reviews'))
    .map((seed) => (seed.namespaced || seed.plural === 'customresourcedefinitions' ? seed : renamed(seed))),
  {
    apiVersion: `${GROUP}/v1`,
    plural: 'gadgets',
    namespaced: true,
    body: gadget('gadget') as never,
    subresources: ['status', 'scale'],
  },
];

function renamed(seed: Seed): Seed {
  const { metadata } = seed.body;
  return { ...seed, body: { ...seed.body, metadata: { ...metadata, name: `${NAMESPACE}-${metadata.name}` } } };
}

/** Creates, reads, updates and patches objects of one kind, most of them broken. */
export function kinds(random: Random): Step[] {
  const seed = random.pick(SEEDS);
  const path = collection(seed.apiVersion, seed.plural, seed.namespaced ? NAMESPACE : undefined);
  const steps: Step[] = [];
  const asking = (): Record<string, string> => ({
    ...(seed.dry === true || random.next() < 0.2 ? { dryRun: 'All' } : {}),
    ...(random.next() < 0.6 ? { fieldValidation: random.pick(['Strict', 'Warn', 'Ignore']) } : {}),
    ...(random.next() < 0.3 ? { fieldManager: random.pick(['one', 'two']) } : {}),
  });
  for (let left = 4; left > 0; left--) {
    steps.push({ method: 'POST', path, query: asking(), body: corrupted(random, seed.body) });
  }
  if (seed.dry === true) return steps;
  const object = `${path}/${seed.body.metadata.name}`;
  steps.push({ method: 'POST', path, body: seed.body }, { method: 'GET', path: object });
  for (let left = random.int(4, 8); left > 0; left--) steps.push(edit(random, seed, object, asking()));
  steps.push({ method: 'GET', path: object }, { method: 'GET', path: object, accept: TABLE });
  steps.push({ method: 'DELETE', path: object });
  return steps;
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

function edit(random: Random, seed: Seed, object: string, query: Record<string, string>): Step {
  const subresources = (seed.subresources ?? []).filter((name) => name === 'status');
  const path = subresources.length > 0 && random.next() < 0.25 ? `${object}/${random.pick(subresources)}` : object;
  const body = corrupted(random, seed.body) as Seed['body'] & { status?: unknown };
  const choice = random.int(0, 3);
  if (choice === 0) {
    const metadata = {
      ...body.metadata,
      ...(random.next() < 0.6 ? { resourceVersion: versionOf(object, random.int(0, 3) === 0 ? 1 : 0) } : {}),
    };
    return { method: 'PUT', path, query, body: { ...body, metadata } };
  }
  if (choice === 1) return { method: 'PATCH', path, query, contentType: MERGE_PATCH, body: partOf(random, body) };
  if (choice === 2) return { method: 'PATCH', path, query, contentType: STRATEGIC_PATCH, body: partOf(random, body) };
  return { method: 'PATCH', path, query, contentType: JSON_PATCH, body: operations(random, seed.body, body) };
}

/** Returns some fields of the top level or of the spec. */
function partOf(random: Random, body: object): object {
  const some = (value: object) => Object.fromEntries(Object.entries(value).filter(() => random.next() < 0.6));
  const { spec, ...rest } = body as { spec?: unknown };
  return typeof spec === 'object' && spec !== null && !Array.isArray(spec)
    ? { ...some(rest), spec: some(spec) }
    : some(body);
}

/** Returns operations that transform one object into parts of another. */
function operations(random: Random, from: object, to: object): object[] {
  // A corrupted object may have nothing left to point to.
  const pointers = [...pointersOf(to, ''), ['/metadata', {}] as const];
  return Array.from({ length: random.int(1, 3) }, () => {
    const [path, value] = random.pick(pointers);
    const op = random.pick(['add', 'replace', 'replace', 'remove', 'test', 'copy', 'move']);
    const source = [...pointersOf(from, '')];
    return {
      op,
      path,
      ...(op === 'copy' || op === 'move' ? { from: random.pick(source)[0] } : op === 'remove' ? {} : { value }),
    };
  });
}

function* pointersOf(value: unknown, path: string): Generator<readonly [string, unknown]> {
  if (path !== '') yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (path === '' && (key === 'apiVersion' || key === 'kind')) continue;
    yield* pointersOf(inner, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}
