import { textFromBase64 } from '#platform/base/base64';
import { parseFiniteJson } from '#platform/base/finite-json';
import { jsonEqual } from '#platform/base/json-equal';
import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes } from '../../admission-plugin.ts';
import { internal } from '../../api-error.ts';
import { isExempt } from '../matching.ts';
import { redecode } from '../redecode.ts';
import type { Mutator, ReinvocationContext } from '../reinvocation.ts';
import { fromVersion } from '../versions.ts';
import type { AdmissionWebhook, AdmissionWebhooks } from './admission-webhook.ts';
import { callAdmissionWebhook, failure, type WebhookDeps, type WebhookResult } from './call-admission-webhook.ts';
import { applyWebhookPatch, WebhookPatchError } from './patch.ts';
import { WebhookError } from './response.ts';

/** Calls mutating webhooks one after another, each with the result of the ones before it. */
export function mutatingWebhookPlugin(hooks: AdmissionWebhooks, parts: WebhookDeps): Mutator {
  return {
    get idle() {
      return hooks.size === 0;
    },
    async mutate(write, given, turns) {
      if (isExempt(write)) return given;
      let object = given;
      for (const hook of hooks.all()) object = await takeTurn(parts, hook, write, object, turns);
      return object;
    },
  };
}

async function takeTurn(
  parts: WebhookDeps,
  hook: AdmissionWebhook,
  write: AdmissionAttributes,
  object: KubeObject,
  turns: ReinvocationContext,
): Promise<KubeObject> {
  if (!turns.isOn(hook.id)) return object;
  const deleting = write.operation === 'DELETE';
  const shown = write.operation === 'CREATE' && write.kind === undefined ? withoutServerMetadata(object) : object;
  const requested = await callAdmissionWebhook(parts, hook, deleting ? write : { ...write, object: shown }, true);
  if (requested === undefined) return object;
  const found = deleting ? shown : await applyResponse(hook, write, shown, requested);
  const next = found === shown ? object : withServerMetadata(found, shown === object ? {} : object.metadata);
  turns.took(hook.id, hook.spec.reinvocationPolicy === 'IfNeeded', next !== object);
  return next;
}

/** Returns a new object without the metadata that the server assigns. */
function withoutServerMetadata(object: KubeObject): KubeObject {
  const { uid: _uid, creationTimestamp: _time, generation: _generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function withServerMetadata(
  object: KubeObject,
  { uid, creationTimestamp, generation }: KubeObject['metadata'],
): KubeObject {
  if (uid !== undefined) object.metadata.uid = uid;
  if (creationTimestamp !== undefined) object.metadata.creationTimestamp = creationTimestamp;
  if (generation !== undefined) object.metadata.generation = generation;
  return object;
}

/** Applies the patch of a webhook. Returns the same object if nothing changes. */
async function applyResponse(
  { spec }: AdmissionWebhook,
  write: AdmissionAttributes,
  object: KubeObject,
  { response, shownAs, object: shown = object }: WebhookResult,
): Promise<KubeObject> {
  const operations = operationsOf(response.patch);
  if (operations instanceof WebhookError) {
    if (spec.failurePolicy === 'Ignore') return object;
    throw failure(spec.name, operations);
  }
  if (operations.length === 0) return object;
  try {
    const result = redecode(shownAs, applyWebhookPatch(shown, operations), write.kind);
    const next = await fromVersion(write, result, shownAs);
    return jsonEqual(next, object) ? object : next;
  } catch (error) {
    throw error instanceof WebhookPatchError ? internal(error) : error;
  }
}

function operationsOf(patch = ''): readonly unknown[] | WebhookError {
  if (patch === '') return [];
  const text = textFromBase64(patch);
  try {
    const operations: unknown = parseFiniteJson(text);
    if (Array.isArray(operations)) return operations;
    return new WebhookError('received undecodable patch in webhook response: json: cannot unmarshal into a patch');
  } catch (error) {
    const [first = ''] = text.trimStart();
    const why =
      first === '' ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`;
    return new WebhookError(`received undecodable patch in webhook response: ${why}`, { cause: error });
  }
}
