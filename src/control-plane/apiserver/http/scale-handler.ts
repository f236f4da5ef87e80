import { decodeUtf8 } from '#platform/base/bytes';
import { goJson } from '#platform/base/go-value';
import type { KubeObject } from '#platform/kube/kube-object';
import { ApiError, badRequest, notFound } from '../api-error.ts';
import { type Backend, longWorkOf, storeOf, timestamp } from '../backend.ts';
import { textOf } from '../object-text.ts';
import type { RequestContext } from '../request-context.ts';
import { apiVersionOf, keyOf } from '../resource.ts';
import type { ScalePaths } from '../scale-paths.ts';
import { SCALE, scaleInVersion, scaleOf, scaleView, withScale } from '../subresources/scale.ts';
import { NAMESPACE_MISMATCH } from '../verbs/create.ts';
import { checkUid } from '../verbs/frozen-metadata.ts';
import { guaranteedUpdate, type ObjectChange } from '../verbs/guaranteed-update.ts';
import { APPLY_PATCH, badPatch, patchPlain } from '../verbs/patch.ts';
import { type Target, viewOf } from '../verbs/target.ts';
import type { ApiRequest } from './api-request.ts';
import { decodePatch, decodeYaml } from './body.ts';
import { type HttpResponse, json } from './response.ts';
import { decodeAs, subresourceBody } from './subresource-body.ts';

/** Returns the Scale of an object. */
export async function getScale(backend: Backend, target: Target, paths: ScalePaths): Promise<HttpResponse> {
  const { resource, namespace, name } = target;
  const entry = storeOf(backend, resource).get(keyOf(resource, namespace, name));
  if (entry === undefined) throw notFound(resource, name);
  return json(200, textOf(scaleInVersion(await viewOf(backend, resource, entry), paths)));
}

/** Describes a write of a Scale. */
export interface ScaleRequest {
  readonly backend: Backend;
  readonly target: Target;
  readonly paths: ScalePaths;
  readonly request: ApiRequest;
  readonly call: RequestContext;
}

/** Handles PUT, or PATCH of any type. */
export async function writeScale(write: ScaleRequest, verb: string, force: boolean): Promise<HttpResponse> {
  const { backend, target, paths, request, call } = write;
  const applies = verb === 'patch' && mediaType(request) === APPLY_PATCH;
  const change = applies
    ? await applyScale(write, force)
    : changeOf(target, paths, verb === 'patch' ? await scalePatch(write) : await scaleSent(write));
  const written = await guaranteedUpdate(backend, target, change, call, { view: scaleView(paths), recorded: applies });
  return json(200, textOf(scaleOf(written.object, paths)));
}

type ChangeScale = (scale: KubeObject) => KubeObject;

const changeOf =
  ({ resource }: Target, paths: ScalePaths, change: ChangeScale): ObjectChange =>
  (current) => {
    const object = withScale(current, change(scaleOf(current, paths)), paths);
    // A replica count whose parent did not exist before brings the schema's defaults for that parent.
    if (paths.custom !== undefined) resource.shape.applyDefaults(object);
    return object;
  };

const mediaType = (request: ApiRequest): string => request.header('content-type')?.split(';')[0]?.trim() ?? '';

async function scaleSent({ backend, target, request, call }: ScaleRequest): Promise<ChangeScale> {
  const scale = await subresourceBody(request, SCALE, call, longWorkOf(backend, request.user));
  checkNames(target, scale);
  return (current) => {
    checkUid(target, scale.metadata, current.metadata);
    return scale;
  };
}

/** Applies a configuration of a Scale. Its manager owns the replicas field of the object. */
async function applyScale(
  { backend, target, paths, request, call }: ScaleRequest,
  force: boolean,
): Promise<ObjectChange> {
  const { value } = await decodeYaml(decodeUtf8(await request.body()), SCALE.kind, longWorkOf(backend, request.user));
  const config = { apiVersion: '', kind: '', ...(value as object) } as KubeObject;
  const { apiVersion, kind } = config;
  if (apiVersion !== apiVersionOf(SCALE) || kind !== SCALE.kind) {
    throw badRequest(`invalid object type: ${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`);
  }
  config.metadata ??= {};
  checkNames(target, config);
  return (current) => {
    const live = { scale: scaleOf(current, paths), owners: current.metadata.managedFields };
    const writer = { manager: call.fieldManager, subresource: 'scale', time: timestamp(backend.clock) };
    const applied = backend.fields.applyScale(target.resource, structuredClone(config), live, writer, force);
    const desired = decodeAs(SCALE, structuredClone(applied.scale));
    if (config.metadata.resourceVersion === undefined) delete desired.metadata.resourceVersion;
    const object = withScale(current, desired, paths);
    object.metadata.managedFields = [...applied.owners];
    return object;
  };
}

/** Checks that the name and namespace of a Scale match the path. */
function checkNames({ namespace, name }: Target, { metadata }: KubeObject): void {
  if ((metadata.name ?? '') !== '' && metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  if ((metadata.namespace ?? '') !== '' && metadata.namespace !== namespace) throw badRequest(NAMESPACE_MISMATCH);
}

/** Decodes a patched Scale. Errors are reported as errors of the patch. */
function decodePatchedScale(patched: KubeObject): KubeObject {
  try {
    return decodeAs(SCALE, structuredClone(patched));
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 400)) throw error;
    throw badPatch(goJson(patched), error.message.replace(/^.* cannot be handled as a Scale: /s, ''));
  }
}

/** Reads a patch of a Scale. Without a resourceVersion it applies to the newest version. */
async function scalePatch({ backend, request }: ScaleRequest): Promise<ChangeScale> {
  const type = mediaType(request);
  const { value } = await decodePatch(
    decodeUtf8(await request.body()),
    type,
    'Scale',
    longWorkOf(backend, request.user),
  );
  return (scale) => {
    const patched = decodePatchedScale(patchPlain(scale, type, value));
    if (patched.metadata.resourceVersion === scale.metadata.resourceVersion) delete patched.metadata.resourceVersion;
    return patched;
  };
}
