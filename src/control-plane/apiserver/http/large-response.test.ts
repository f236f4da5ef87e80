import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { ParseError } from '#platform/base/errors';
import type { Encoder, Encoding, EncodingJob } from '../long-work.ts';
import { decodeProtobuf, encodeProtobuf } from '../protobuf/protobuf.ts';
import { asPretty, asProtobuf, asYaml } from './converted-response.ts';
import { EncodingThreads } from './encoding-threads.ts';
import { isLong, largeList, largeObject, measureList } from './large-response.ts';
import { listText } from './list-text.ts';
import { localEncoder } from './local-encoder.ts';
import { type HttpResponse, json, type ListResponse } from './response.ts';

const threads = new EncodingThreads(realClock);
afterAll(() => threads.close());

const FORMATS = ['yaml', 'pretty', 'protobuf'] as const;
const placeOf = (encoder: Encoder) => ({ encoder, flow: 'eve', work: undefined });

const configMap = fc.record({
  kind: fc.constant('ConfigMap'),
  apiVersion: fc.constant('v1'),
  metadata: fc.record({
    name: fc.string(),
    labels: fc.dictionary(fc.string(), fc.string()),
    creationTimestamp: fc.constant('2026-01-01T00:00:00Z'),
    generation: fc.nat(),
  }),
  data: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })),
  immutable: fc.boolean(),
});

const listOf = (items: Iterable<string>, headers = {}): ListResponse => ({
  status: 200,
  head: { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' } },
  field: 'items',
  items,
  opening: '{',
  headers,
});

async function contentOf(response: HttpResponse | undefined): Promise<string> {
  const parts: (string | Uint8Array)[] = [];
  if (response === undefined || 'upgraded' in response) throw new Error('there is no content');
  if ('body' in response) parts.push(response.body);
  else if ('bytes' in response) parts.push(response.bytes);
  else if ('parts' in response) parts.push(...response.parts);
  else for await (const part of 'encoded' in response ? response.encoded : response.pieces) parts.push(part);
  return Buffer.concat(parts.map((part) => Buffer.from(part as string))).toString('latin1');
}

const onThread = {
  yaml: { object: asYaml, list: (list: ListResponse) => listText(list, 'yaml') },
  pretty: { object: asPretty, list: (list: ListResponse) => listText(list, 'pretty') },
  protobuf: { object: asProtobuf, list: asProtobuf },
} as const;

describe.each(FORMATS)('a large response as %s', (format) => {
  it('has the same bytes as a small one, for an object', async () => {
    const property = fc.asyncProperty(configMap, async (object) => {
      const response = json(200, JSON.stringify(object));
      const here = onThread[format].object(response);
      const there = await largeObject(response, format, placeOf(threads));
      expect(there?.type).toBe(here?.type);
      expect(await contentOf(there)).toBe(await contentOf(here));
    });
    await fc.assert(property, { numRuns: 50 });
  });

  it('has the same bytes as a small one, for a list', async () => {
    const lists = fc.array(configMap, { minLength: 1, maxLength: 6 });
    const property = fc.asyncProperty(lists, fc.integer({ min: 0, max: 100_000 }), async (objects, padding) => {
      const items = objects.map(({ metadata, data, immutable }) =>
        JSON.stringify({ metadata, data: { ...data, padding: 'é'.repeat(padding) }, immutable }).slice(1),
      );
      const there = await largeList(listOf(items), format, placeOf(threads));
      expect(await contentOf(there)).toBe(await contentOf(onThread[format].list(listOf(items))));
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it('is converted in pieces whose size does not grow with the list', async () => {
    const jobs: number[] = [];
    const counting: Encoder = {
      ...localEncoder,
      encode(job: EncodingJob) {
        if (job.task === 'items') jobs.push(job.texts.reduce((size, { length }) => size + length, 0));
        return localEncoder.encode(job);
      },
    };
    const item = JSON.stringify({ metadata: { name: 'a' }, data: { key: 'x'.repeat(20_000) } }).slice(1);
    const items = Array.from({ length: 200 }, () => item);
    const response = await largeList(listOf(items), format, placeOf(counting));
    expect(await contentOf(response)).toBe(await contentOf(onThread[format].list(listOf(items))));
    expect(Math.max(...jobs)).toBeLessThanOrEqual(128 * 1024);
    expect(jobs.length).toBeGreaterThan(30);
  });
});

it.each(FORMATS)('measures a list as %s without consuming all of it', (format: Encoding) => {
  let made = 0;
  const items = (function* () {
    for (; made < 1_000; made++) yield 'x'.repeat(10_000);
  })();
  const { list, long } = measureList(listOf(items), format);
  expect([long, made]).toEqual([true, format === 'pretty' ? 6 : format === 'yaml' ? 0 : 3]);
  expect([...list.items]).toHaveLength(1_000);
  expect(measureList(listOf(['{}']), format)).toMatchObject({ long: false, list: { items: ['{}'] } });
  expect(isLong(1_000, format)).toBe(false);
});

describe('a protobuf body on another thread', () => {
  const type = { apiVersion: 'v1', kind: 'ConfigMap' };

  it('has the JSON text of the object that is decoded here', async () => {
    const property = fc.asyncProperty(configMap, async (object) => {
      const body = encodeProtobuf(object) ?? new Uint8Array();
      expect(JSON.parse(await threads.decode(body, type))).toEqual(decodeProtobuf(body, type));
    });
    await fc.assert(property, { numRuns: 50 });
  });

  it('stays usable by its owner', async () => {
    const body = encodeProtobuf({ ...type, data: { key: 'value' } }) ?? new Uint8Array();
    await threads.decode(body, type);
    expect(decodeProtobuf(body)).toMatchObject({ data: { key: 'value' } });
  });

  it('is rejected with the same error if it is invalid', async () => {
    for (const encoder of [threads, localEncoder]) {
      const decoding = encoder.decode(Uint8Array.of(1, 2, 3), type);
      await expect(decoding).rejects.toBeInstanceOf(ParseError);
      await expect(decoding).rejects.toThrow('does not appear to be a protobuf message');
    }
  });
});

it('returns nothing for a kind that has no protobuf', async () => {
  const text = JSON.stringify({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' });
  expect(await threads.encode({ task: 'object', format: 'protobuf', text })).toBeUndefined();
});

it('encodes the pieces of several users in turn, however many one of them has', async () => {
  const order: string[] = [];
  const encode = (flow: string, name: string) =>
    threads.encode({ task: 'object', format: 'yaml', text: '{}' }, flow).then(() => order.push(name));
  await Promise.all([...['e1', 'e2', 'e3', 'e4'].map((name) => encode('eve', name)), encode('bob', 'b1')]);
  expect(order.indexOf('b1')).toBeLessThanOrEqual(2);
});
