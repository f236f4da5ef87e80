import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { VMTemplate } from '#api/hypersdk/vm-template';
import { FakeClock } from '#platform/base/fake-clock';
import { noopLogger } from '#platform/base/logger';
import type { DependencyProvider } from '#vm/engine/dependency-provider';
import { imageProvider } from './image-provider.ts';
import { ImageVerifier } from './verifier.ts';

type Machine = Parameters<DependencyProvider['provide']>[0];
type Context = Parameters<DependencyProvider['provide']>[1];

const checksum = { type: 'sha256', value: createHash('sha256').update('right').digest('hex') };
const image = { source: 'http://images.example.org/a', checksum };
const machine = (spec: object, more: object = {}) =>
  ({
    metadata: { name: 'web', namespace: 'default' },
    spec: { cpus: 1, memory: '1Gi', running: true, ...spec },
    ...more,
  }) as unknown as Machine;

let content: string;
let requested: number;
let woken: string[];
let reported: string[];
let template: VMTemplate | undefined;
let clock: FakeClock;
let provider: DependencyProvider<'image'>;
let context: Context;

beforeEach(() => {
  [content, requested, woken, reported, template] = ['right', 0, [], [], undefined];
  clock = new FakeClock({ start: 0 });
  const web = async () => {
    requested += 1;
    return { status: 200, headers: new Headers(), body: new Blob([content]).stream() };
  };
  provider = imageProvider(new ImageVerifier({ web, clock, log: noopLogger }), { provide: () => template });
  context = {
    clock,
    signal: new AbortController().signal,
    enqueue: (key: string) => void woken.push(key),
    events: { event: (_object: unknown, type: string, reason: string) => void reported.push(`${type} ${reason}`) },
  } as unknown as Context;
});
const gather = (spec: object, more?: object) => provider.provide(machine(spec, more), context);
const settled = async () => {
  while (woken.length === 0) await clock.advance(1);
};

describe('a VM', () => {
  it('waits for its image, is reconciled when that is verified, and gets one event', async () => {
    expect(gather({ image })).toMatchObject({ state: 'waits', blocker: { reason: 'VerifyingImage' } });
    await settled();
    expect(woken).toEqual(['default/web']);
    for (let i = 0; i < 2; i++) expect(gather({ image })).toEqual({ state: 'verified' });
    expect(reported).toEqual(['Normal ImageVerified']);
    expect(requested).toBe(1);
  });

  it('is not reconciled once it is deleted', async () => {
    gather({ image });
    provider.forget?.('default/web');
    provider.provide({ ...machine({ image }), metadata: { name: 'other', namespace: 'default' } } as Machine, context);
    await settled();
    expect(woken).toEqual(['default/other']);
  });

  it('has the image of its template verified', async () => {
    template = { spec: { image } } as unknown as VMTemplate;
    expect(gather({ image: { templateRef: { name: 'debian' } } })).toMatchObject({ state: 'waits' });
    await settled();
    expect(requested).toBe(1);
  });

  it.each<[string, object, object, object | undefined]>([
    ['has no digest for its image', { image: { source: image.source } }, {}, undefined],
    ['has no image', {}, {}, undefined],
    ['has no disk that its image is put on', { image, disks: [{ name: 'root', source: { pvc: 'a' } }] }, {}, undefined],
    ['is off', { image, running: false }, {}, { state: 'left', why: 'it is verified before the first start' }],
    ['has run', { image }, { status: { startTime: '2030-01-01T00:00:00Z' } }, { state: 'left' }],
    ['has an image elsewhere', { image: { source: 's3://images/a', checksum } }, {}, { state: 'left' }],
  ])('that %s is left alone', (_what, spec, more, expected) => {
    if (expected === undefined) expect(gather(spec, more)).toBeUndefined();
    else expect(gather(spec, more)).toMatchObject(expected);
    expect(requested).toBe(0);
  });
});
