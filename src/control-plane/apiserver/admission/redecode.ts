import { runSteps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import type { ObjectKind } from '../admission-plugin.ts';
import { ApiError, internal } from '../api-error.ts';
import { decodeBuiltIn } from '../builtin-schema/decode.ts';
import { apiVersionOf, type Resource } from '../resource.ts';

/** Decodes a patched object again: unknown fields are dropped and defaults are set. */
export function redecode(resource: Resource, patched: KubeObject, kind: ObjectKind | undefined): KubeObject {
  if (kind !== undefined) return redecodedPart(patched, kind);
  const object = readOf(resource, patched);
  object.kind = resource.kind;
  object.apiVersion = apiVersionOf(resource);
  object.metadata ??= {};
  resource.shape.applyDefaults(object);
  resource.strategy.defaults?.(object);
  return object;
}

function redecodedPart(patched: KubeObject, kind: ObjectKind): KubeObject {
  const apiVersion = apiVersionOf(kind);
  const { object, error } = decodeBuiltIn(apiVersion, kind.kind, patched) ?? { object: patched };
  if (error !== undefined) throw internal(new Error(error));
  return { ...(object as KubeObject), kind: kind.kind, apiVersion };
}

/** Reads a patched object. An error is not the fault of the writer. */
function readOf({ shape }: Resource, patched: KubeObject): KubeObject {
  try {
    return runSteps(shape.read(patched)).object;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw internal(new Error(error.message.replace(/^.*? cannot be handled as a \w+: /, ''), { cause: error }));
  }
}
