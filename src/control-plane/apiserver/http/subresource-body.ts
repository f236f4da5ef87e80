import type { KubeObject } from '#platform/kube/kube-object';
import type { ObjectKind } from '../admission-plugin.ts';
import { badRequest } from '../api-error.ts';
import { decodeBuiltIn } from '../builtin-schema/decode.ts';
import type { LongWork } from '../long-work.ts';
import type { RequestContext } from '../request-context.ts';
import { apiVersionOf } from '../resource.ts';
import { reportUnknown } from '../verbs/decode.ts';
import { notOfKind } from '../verbs/object-type.ts';
import type { ApiRequest } from './api-request.ts';
import { decodeRequest } from './body.ts';

/** Reads the body of a subresource request, which has a kind of its own. */
export async function subresourceBody(
  request: ApiRequest,
  kind: ObjectKind,
  call: RequestContext,
  work: LongWork,
): Promise<KubeObject> {
  const { value } = await decodeRequest(request, { apiVersion: apiVersionOf(kind), kind: kind.kind }, work);
  return decodeAs(kind, value, call);
}

/** Decodes JSON as an object of a built-in kind. */
export function decodeAs(desired: ObjectKind, value: unknown, call?: RequestContext): KubeObject {
  const { kind, version } = desired;
  const apiVersion = apiVersionOf(desired);
  const said = (value ?? {}) as { readonly kind?: unknown; readonly apiVersion?: unknown };
  if ((said.kind ?? kind) !== kind) {
    const text = (sent: unknown, unsaid: string) => (typeof sent === 'string' ? sent : unsaid);
    throw notOfKind(desired, { kind: text(said.kind, ''), apiVersion: text(said.apiVersion, apiVersion) }, value);
  }
  const { object, error, unknown = [] } = decodeBuiltIn(apiVersion, kind, value) ?? { object: value };
  if (error !== undefined) throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${error}`);
  if (call !== undefined) reportUnknown(desired, unknown, call);
  const body = object as KubeObject;
  body.metadata ??= {};
  return { ...body, kind, apiVersion };
}
