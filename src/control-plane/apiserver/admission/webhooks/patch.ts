import { ownValue } from '#platform/base/own-value';
import type { KubeObject } from '#platform/kube/kube-object';
import { isList, isObject, type JsonObject } from '#platform/kube/patches/json-object';
import { applyJsonPatch } from '#platform/kube/patches/json-patch';
import { PatchError } from '#platform/kube/patches/patch-error';
import type { Json } from '#platform/schema/json-schema';

interface Operation {
  readonly op?: string;
  readonly path?: string;
  readonly from?: string;
}

/** An operation of a JSON patch failed. The message is that of the library that Kubernetes uses. */
export class WebhookPatchError extends Error {
  /** True for a failed `test` operation. */
  readonly test: boolean;
  constructor(message: string, test: boolean, cause: unknown) {
    super(message, { cause });
    this.test = test;
  }
}

/** Applies a JSON patch to a copy of the object. Throws a WebhookPatchError. */
export function applyWebhookPatch(object: KubeObject, operations: readonly unknown[]): KubeObject {
  const target = object as unknown as JsonObject;
  try {
    return structuredClone(applyJsonPatch(target, operations as unknown as Json)) as unknown as KubeObject;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw firstProblem(target, operations);
  }
}

/** Finds the operation that failed by applying them one by one. */
function firstProblem(target: JsonObject, operations: readonly unknown[]): WebhookPatchError {
  let document = target;
  for (const operation of operations) {
    try {
      document = applyJsonPatch(document, [operation] as unknown as Json);
    } catch (error) {
      return problemOf(document, operation as Operation, error);
    }
  }
  return new WebhookPatchError('the patch does not apply', false, undefined);
}

function problemOf(
  document: JsonObject,
  { op = '', path = '', from = '' }: Operation,
  cause: unknown,
): WebhookPatchError {
  const reported = (message: string, test = false) => new WebhookPatchError(message, test, cause);
  const missing = `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`;
  const source = op === 'move' ? from : path;
  const last = source.split('/').at(-1) ?? '';
  const noKey = `Unable to remove nonexistent key: ${last}: missing value`;
  switch (op) {
    case 'test':
      return reported(`testing value ${path} failed: test failed`, true);
    case 'remove':
      return reported(hasParent(document, source) ? `error in remove for path: '${path}': ${noKey}` : missing);
    case 'move':
      return reported(hasParent(document, source) ? `error in move for path: '${last}': ${noKey}` : missing);
    case 'add':
    case 'copy':
      return reported(missing);
    case 'replace':
      return reported(`replace operation does not apply: doc is missing key: ${path}: missing value`);
    default:
      return reported(`Unexpected kind: ${op}`);
  }
}

/** Reports whether the parent of a path exists as an object or list. */
function hasParent(document: JsonObject, path: string): boolean {
  let at: Json | undefined = document;
  for (const token of path.split('/').slice(1, -1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) ? ownValue(at, key) : isList(at) ? at[Number(key)] : undefined;
  }
  return isObject(at) || isList(at);
}
