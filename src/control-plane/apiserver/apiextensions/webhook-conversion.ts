import { append } from '#platform/base/append';
import type { KubeObject } from '#platform/kube/kube-object';
import { ApiError } from '../api-error.ts';
import type { Convert } from './conversion.ts';
import { readConverted } from './conversion-review.ts';
import type { ConversionClient, Crd } from './crd.ts';
import { withMetadataOf } from './restored-metadata.ts';

/** Sends a review to the webhook of a CRD and returns the response. Fails in the words of Go's HTTP client. */
export type CallWebhook = (
  client: ConversionClient,
  body: string,
  timeoutSeconds: number,
) => Promise<{ readonly status: number; readonly text: string }>;

export interface WebhookConverterDeps {
  readonly callWebhook: CallWebhook;
  readonly uuid: () => string;
}

const TIMEOUT_SECONDS = 30;
/**
 * Limits of one review, since a list may be too long for a webhook to read, and its response too large to be read here.
 */
const MAX_CONCURRENT = 500;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const KNOWN_REVIEWS = new Set(['v1', 'v1beta1']);

/** Implements the conversion strategy Webhook. */
export function webhookConverter(definition: Crd, { callWebhook, uuid }: WebhookConverterDeps): Convert {
  const { clientConfig = {}, conversionReviewVersions = [] } = definition.spec.conversion?.webhook ?? {};
  const version = conversionReviewVersions.find((each) => KNOWN_REVIEWS.has(each));

  async function convertSome({ objects, texts }: Batch, apiVersion: string): Promise<KubeObject[]> {
    const [first] = objects;
    const about = `conversion webhook for ${first?.apiVersion}, Kind=${first?.kind}`;
    if (version === undefined) throw failure('no supported conversion review versions');
    const uid = uuid();
    let converted: readonly unknown[];
    try {
      const response = await callWebhook(clientConfig, reviewText(version, uid, apiVersion, texts), TIMEOUT_SECONDS);
      converted = readConverted(response, version, uid);
    } catch (error) {
      throw failure(`${about} failed: ${(error as Error).message}`, error);
    }
    if (converted.length !== objects.length) {
      throw failure(`${about} returned ${converted.length} objects, expected ${objects.length}`);
    }
    return objects.map((object, i) => {
      const result = withMetadataOf(object, converted[i], apiVersion, i);
      if ('problem' in result) throw failure(`${about} returned ${result.problem}`);
      return result.object;
    });
  }

  return async (objects, apiVersion) => {
    const pending = objects.filter((object) => object.apiVersion !== apiVersion);
    const converted: KubeObject[] = [];
    for (const batch of batches(pending)) append(converted, await convertSome(batch, apiVersion));
    let next = 0;
    return objects.map((object) => (object.apiVersion === apiVersion ? object : (converted[next++] ?? object)));
  };
}

/** Objects that are sent together, each with its JSON text. */
interface Batch {
  readonly objects: KubeObject[];
  readonly texts: string[];
}

function* batches(objects: readonly KubeObject[]): Iterable<Batch> {
  let batch: Batch = { objects: [], texts: [] };
  let size = 0;
  for (const object of objects) {
    const text = JSON.stringify(object);
    if (batch.texts.length === MAX_CONCURRENT || (size > 0 && size + text.length > MAX_BATCH_BYTES)) {
      yield batch;
      [batch, size] = [{ objects: [], texts: [] }, 0];
    }
    batch.objects.push(object);
    batch.texts.push(text);
    size += text.length;
  }
  if (batch.texts.length > 0) yield batch;
}

function reviewText(version: string, uid: string, desiredAPIVersion: string, texts: readonly string[]): string {
  const requested = JSON.stringify({ uid, desiredAPIVersion });
  const apiVersion = `apiextensions.k8s.io/${version}`;
  const response = { uid: '', convertedObjects: null, result: { metadata: {} } };
  return `{"kind":"ConversionReview","apiVersion":"${apiVersion}","request":${requested.slice(0, -1)},"objects":[${texts.join(',')}]},"response":${JSON.stringify(response)}}`;
}

/** Builds an error without a reason, as clients get it for unspecific failures. */
function failure(message: string, cause?: unknown): ApiError {
  return new ApiError(500, '', message, undefined, cause);
}
