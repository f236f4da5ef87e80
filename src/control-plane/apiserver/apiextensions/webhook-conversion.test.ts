import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '#platform/kube/kube-object';
import { type HookServer, hookServer } from '../admission/webhooks/hook-server.fixture.ts';
import type { ApiError } from '../api-error.ts';
import type { Crd } from './crd.ts';
import { definitionOf, GROUP, type Plane, startPlane, typeOf, version } from './plane.fixture.ts';
import { type CallWebhook, webhookConverter } from './webhook-conversion.ts';

interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: KubeObject[] };
}
type Answer = Record<string, unknown>;

const object = (name: string, more: object = {}): KubeObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Boat',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, generation: 3, labels: { old: 'yes' } },
  ...more,
});

function definitionBy(conversionReviewVersions = ['v1']): Crd {
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions, clientConfig: {} } } as const;
  return definitionOf('boats', 'Boat', [version(), version('v2')], { conversion });
}

/** Returns a webhook that converts as requested and changes every object once more. */
function converting(change: (object: Answer, i: number) => void = () => {}): (review: Review) => Answer {
  return ({ apiVersion, request }) => ({
    apiVersion,
    kind: 'ConversionReview',
    response: {
      uid: request.uid,
      result: { status: 'Success' },
      convertedObjects: request.objects.map((each, i) => {
        const copy = structuredClone(each) as unknown as Answer;
        copy['apiVersion'] = request.desiredAPIVersion;
        change(copy, i);
        return copy;
      }),
    },
  });
}

const responding = (response: Answer) => (review: Review) => ({
  ...converting()(review),
  response: { uid: review.request.uid, ...response },
});

function converterTo(reply: (review: Review) => Answer | string, status = 200, reviews: Review[] = []) {
  const callWebhook: CallWebhook = async (_client, body) => {
    const review = JSON.parse(body) as Review;
    reviews.push(review);
    const response = reply(review);
    return { status, text: typeof response === 'string' ? response : JSON.stringify(response) };
  };
  return webhookConverter(definitionBy(), { callWebhook, uuid: () => 'the-uid' });
}

const metaOf = (response: Answer) => response['metadata'] as Answer;

describe('a conversion webhook', () => {
  it('receives large objects in several requests, so that each response has a bounded size', async () => {
    const reviews: Review[] = [];
    const convert = converterTo(converting(), 200, reviews);
    const large = { data: 'x'.repeat(1_500_000) };
    const names = ['a', 'b', 'c', 'd', 'e'];
    const converted = await convert(
      names.map((name) => object(name, large)),
      `${GROUP}/v2`,
    );
    expect(reviews.map(({ request }) => request.objects.length)).toEqual([2, 2, 1]);
    expect(converted.map(({ metadata }) => metadata.name)).toEqual(names);
  });

  it('receives the objects of other versions in one request, and its response replaces them', async () => {
    const reviews: Review[] = [];
    const convert = converterTo(
      converting((each) => {
        each['spec'] = { converted: true };
      }),
      200,
      reviews,
    );
    const there = { ...object('b'), apiVersion: `${GROUP}/v2` };
    const converted = await convert([object('a'), there, object('c')], `${GROUP}/v2`);
    expect(reviews).toMatchObject([
      {
        kind: 'ConversionReview',
        apiVersion: 'apiextensions.k8s.io/v1',
        request: { uid: 'the-uid', desiredAPIVersion: `${GROUP}/v2`, objects: [object('a'), object('c')] },
      },
    ]);
    expect(converted.map(({ metadata, apiVersion }) => [metadata.name, apiVersion])).toEqual([
      ['a', `${GROUP}/v2`],
      ['b', `${GROUP}/v2`],
      ['c', `${GROUP}/v2`],
    ]);
    expect(converted.map(({ spec }) => spec)).toEqual([{ converted: true }, undefined, { converted: true }]);
  });

  it('is not called if there is nothing to convert', async () => {
    const reviews: Review[] = [];
    const objects = [object('a')];
    expect(await converterTo(converting(), 200, reviews)(objects, `${GROUP}/v1`)).toEqual(objects);
    expect(reviews).toEqual([]);
  });

  it('receives long lists in several requests', async () => {
    const reviews: Review[] = [];
    const objects = Array.from({ length: 1201 }, (_, i) => object(`o${i}`));
    const converted = await converterTo(converting(), 200, reviews)(objects, `${GROUP}/v2`);
    expect(reviews.map(({ request }) => request.objects.length)).toEqual([500, 500, 201]);
    expect(converted.map(({ metadata }) => metadata.name)).toEqual(objects.map(({ metadata }) => metadata.name));
  });

  it('may change labels and annotations, and nothing else of the metadata', async () => {
    const convert = converterTo(
      converting((each) => {
        Object.assign(metaOf(each), {
          labels: { new: 'yes' },
          annotations: { a: 'b' },
          generation: 77,
          finalizers: ['x/y'],
        });
      }),
    );
    const [converted] = await convert([object('a')], `${GROUP}/v2`);
    expect(converted?.metadata).toEqual({
      ...object('a').metadata,
      labels: { new: 'yes' },
      annotations: { a: 'b' },
    });
  });

  const ABOUT = `conversion webhook for ${GROUP}/v1, Kind=Boat`;
  const meta = (fields: object) =>
    converting((each) => {
      Object.assign(metaOf(each), fields);
    });
  const whole = (fields: object) =>
    converting((each) => {
      Object.assign(each, fields);
    });
  it.each<[string, (review: Review) => Answer | string, number?]>([
    ['returned invalid object: must have the same name: a != other', meta({ name: 'other' })],
    ['returned invalid object: must have the same namespace: default != other', meta({ namespace: 'other' })],
    ['returned invalid object: must have the same UID: uid-a != other', meta({ uid: 'other' })],
    ['returned invalid object: must have the same name: a != ', whole({ metadata: undefined })],
    ['returned invalid object at index 0: invalid kind (expected Boat, received Other)', whole({ kind: 'Other' })],
    [
      `returned invalid object at index 0: invalid groupVersion (expected ${GROUP}/v2, received x/y)`,
      whole({ apiVersion: 'x/y' }),
    ],
    [
      'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
      meta({ labels: { a: 1 } }),
    ],
    ['returned 0 objects, expected 1', responding({ result: { status: 'Success' }, convertedObjects: [] })],
    ['failed: no thanks', responding({ result: { status: 'Failure', message: 'no thanks' } })],
    ["failed: response.result.status was 'Failure', not 'Success'", responding({ result: { status: 'Failure' } })],
    ['failed: expected response.uid="the-uid", got "x"', responding({ uid: 'x', result: { status: 'Success' } })],
    ['failed: no response provided', ({ apiVersion }) => ({ apiVersion, kind: 'ConversionReview' })],
    [
      'failed: no kind "Foo" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
      (review) => ({ ...converting()(review), kind: 'Foo' }),
    ],
    ['failed: an error on the server ("unknown") has prevented the request from succeeding', () => 'boom', 500],
    ['failed: told you', () => ({ kind: 'Status', message: 'told you' }), 400],
    ['failed: 0-length response with status code: 200 and content type: application/json', () => ''],
  ])('that returns an invalid response is reported as by the API server: %s', async (reported, reply, status) => {
    const error = await Promise.resolve(converterTo(reply, status)([object('a')], `${GROUP}/v2`)).catch(
      (thrown: unknown) => thrown as ApiError,
    );
    expect((error as ApiError).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `${ABOUT} ${reported}`,
      code: 500,
    });
  });

  it('may omit the uid in reviews of v1beta1', async () => {
    const callWebhook: CallWebhook = async (_client, body) => {
      const response = converting()(JSON.parse(body) as Review);
      return {
        status: 200,
        text: JSON.stringify({ ...response, response: { ...(response['response'] as Answer), uid: '' } }),
      };
    };
    const convert = webhookConverter(definitionBy(['v2', 'v1beta1', 'v1']), { callWebhook, uuid: () => 'u' });
    expect(await convert([object('a')], `${GROUP}/v2`)).toHaveLength(1);
  });
});

describe('a CRD with a conversion webhook', () => {
  let plane: Plane;
  let hook: HookServer;
  beforeAll(async () => {
    [plane, hook] = await Promise.all([startPlane(), hookServer()]);
  });
  afterAll(async () => {
    hook.close();
    await plane.plane.stop();
  });

  it('calls its webhook over HTTPS for reads and writes', async () => {
    hook.reply = (review) => {
      const { response } = converting((each) => {
        each['spec'] = { a: `from ${String(each['apiVersion']).split('/')[1]}` };
      })(review as unknown as Review);
      return response as object;
    };
    const clientConfig = { url: `https://127.0.0.1:${hook.port}/convert`, caBundle: hook.caBundle };
    const webhook = { conversionReviewVersions: ['v1'], clientConfig };
    const conversion = { strategy: 'Webhook' as const, webhook };
    const definition = definitionOf('boats', 'Boat', [version(), version('v2')], { conversion });
    await plane.define(definition);
    const [first, second] = [typeOf(definition), typeOf(definition, 'v2')];
    const inDefault = { namespace: 'default' };
    await plane.client.create(first, { metadata: { name: 'x', namespace: 'default' }, spec: { a: '1' } });
    expect(await plane.client.get(second, 'x', inDefault)).toMatchObject({ spec: { a: 'from v2' } });
    const created = await plane.client.create(second, { metadata: { name: 'y', namespace: 'default' } });
    expect(created).toMatchObject({ apiVersion: `${GROUP}/v2`, spec: { a: 'from v2' } });
    expect(await plane.client.get(first, 'y', inDefault)).toMatchObject({ spec: { a: 'from v1' } });
    expect(hook.seen[0]?.path).toBe('/convert?timeout=30s');
    hook.reply = () => ({ result: { status: 'Failure', message: 'tired' } });
    await expect(plane.client.list(second, inDefault)).rejects.toThrow(
      `conversion webhook for ${GROUP}/v1, Kind=Boat failed: tired`,
    );
    expect((await plane.client.list(first, inDefault)).items).toHaveLength(2);
  });

  it('reports that its service does not exist', async () => {
    const clientConfig = { service: { namespace: 'default', name: 'nosvc', path: '/x' } };
    const webhook = { conversionReviewVersions: ['v1'], clientConfig };
    const conversion = { strategy: 'Webhook' as const, webhook };
    const definition = definitionOf('ships', 'Ship', [version(), version('v2')], { conversion });
    await plane.define(definition);
    await plane.client.create(typeOf(definition), { metadata: { name: 'x', namespace: 'default' } });
    await expect(plane.client.get(typeOf(definition, 'v2'), 'x', { namespace: 'default' })).rejects.toThrow(
      `conversion webhook for ${GROUP}/v1, Kind=Ship failed: Post "https://nosvc.default.svc:443/x?timeout=30s": service "nosvc" not found`,
    );
  });
});
