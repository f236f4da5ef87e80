import type { KubeObject } from '../../kube/kube-object.ts';
import { notFound } from '../api-error.ts';
import { type Backend, storeOf } from '../backend.ts';
import type { Call } from '../call.ts';
import { textOf } from '../object-text.ts';
import { keyOf } from '../resource.ts';
import { rescaled, SCALE, type ScalePaths, scaleFacet, scaleOf } from '../subresources/scale.ts';
import { patchPlain } from '../verbs/patch.ts';
import { type Target, viewOf } from '../verbs/target.ts';
import { rewrite } from '../verbs/update.ts';
import { type Answer, json } from './answer.ts';
import type { ApiRequest } from './api-request.ts';
import { decodePatch } from './body.ts';
import { decodeAs, subresourceBody } from './subresource-body.ts';

/** An object seen as nothing but its number of replicas. */
export async function getScale(backend: Backend, target: Target, paths: ScalePaths): Promise<Answer> {
  const { resource, namespace, name } = target;
  const entry = storeOf(backend, resource).get(keyOf(resource, namespace, name));
  if (entry === undefined) throw notFound(resource, name);
  return json(200, textOf(scaleOf(await viewOf(backend, resource, entry), paths)));
}

/** PUT or PATCH of that. */
export async function writeScale(
  backend: Backend,
  target: Target,
  paths: ScalePaths,
  request: ApiRequest,
  verb: string,
  call: Call,
): Promise<Answer> {
  const change = verb === 'patch' ? await scalePatch(request) : await scaleSent(request);
  const written = await rewrite(
    backend,
    target,
    (current) => rescaled(current, change(scaleOf(current, paths)), paths),
    call,
    { facet: scaleFacet(paths) },
  );
  return json(200, textOf(scaleOf(written.object, paths)));
}

type ChangeScale = (scale: KubeObject) => KubeObject;

async function scaleSent(request: ApiRequest): Promise<ChangeScale> {
  const scale = await subresourceBody(request, SCALE);
  return () => scale;
}

/** A patch that does not speak of the version holds for whichever is newest. */
async function scalePatch(request: ApiRequest): Promise<ChangeScale> {
  const type = request.header('content-type')?.split(';')[0]?.trim() ?? '';
  const { value } = decodePatch((await request.body()).toString('utf8'));
  return (scale) => {
    const patched = decodeAs(SCALE, patchPlain(scale, type, value));
    if (patched.metadata.resourceVersion === scale.metadata.resourceVersion) delete patched.metadata.resourceVersion;
    return patched;
  };
}
