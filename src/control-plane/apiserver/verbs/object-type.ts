import { encodeUtf8, toHex } from '#platform/base/bytes';
import { invalid as invalidField } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { type ApiError, badRequest, invalid } from '../api-error.ts';
import { decodeBuiltIn } from '../builtin-schema/decode.ts';
import { schemaNameOf } from '../builtin-schema/kinds.ts';
import { apiVersionOf, type Resource } from '../resource.ts';

/** Rejects a body that claims another type. A built-in kind may be omitted. */
export function checkType(resource: Resource, object: KubeObject): void {
  const { kind: given, apiVersion: version } = object;
  // Nearly every client sends exactly this.
  if (given === resource.kind && version === apiVersionOf(resource)) return;
  const [kind, apiVersion]: readonly unknown[] = [given ?? '', version ?? ''];
  for (const [field, value] of Object.entries({ apiVersion, kind })) {
    if (typeof value === 'string') continue;
    const why = `json: cannot unmarshal ${typeName(value)} into Go struct field .${field} of type string`;
    throw unrecognizedObject(resource, object, `couldn't get version/kind; json parse error: ${why}`);
  }
  const said = { kind: kind as string, apiVersion: apiVersion as string };
  if (said.apiVersion.split('/').length > 2) {
    throw unrecognizedObject(resource, object, `unexpected GroupVersion string: ${said.apiVersion}`);
  }
  if (resource.custom) checkCustom(resource, object, said);
  else checkBuiltIn(resource, object, said);
}

interface Said {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Rejects an applied configuration without a type. */
export function checkAppliedType(resource: Resource, object: KubeObject): void {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const [kind, apiVersion] = [text(object.kind), text(object.apiVersion)];
  if (kind === resource.kind && apiVersion === apiVersionOf(resource)) return;
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw badRequest(`invalid object type: ${version}, Kind=${kind}`);
}

/** Validates the type of a patched custom object. */
export function checkPatchedType(resource: Resource, object: KubeObject): void {
  if (!resource.custom) return;
  const { kind, apiVersion } = object;
  const expected = apiVersionOf(resource);
  if (apiVersion !== expected) {
    const cause = invalidField('apiVersion', apiVersion, `must be ${expected}`);
    throw invalid(resource, nameIn(object), [cause]);
  }
  if (kind !== resource.kind) throw otherKind(resource, object);
}

function checkCustom(resource: Resource, object: KubeObject, { kind, apiVersion }: Said): void {
  if (kind === '')
    throw unrecognizedObject(resource, object, `Object 'Kind' is missing in '${JSON.stringify(object)}'`);
  if (apiVersion !== apiVersionOf(resource)) throw otherVersion(resource, apiVersion);
  if (kind !== resource.kind) throw otherKind(resource, object);
}

function otherVersion(resource: Resource, apiVersion: string): ApiError {
  return badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(resource)})`,
  );
}

function otherKind({ group, kind: expected }: Resource, object: KubeObject): ApiError {
  const { kind } = object;
  return invalid({ group, kind }, nameIn(object), [invalidField('kind', kind, `must be ${expected}`)]);
}

/** Returns the name of an object whose metadata is not yet validated. */
function nameIn({ metadata }: KubeObject): string {
  const name: unknown = (metadata as KubeObject['metadata'] | null | undefined)?.name;
  return typeof name === 'string' ? name : '';
}

function checkBuiltIn(resource: Resource, object: KubeObject, said: Said): void {
  const expected = apiVersionOf(resource);
  const kind = said.kind || resource.kind;
  const apiVersion = said.apiVersion || expected;
  if (kind === resource.kind && apiVersion === expected) return;
  if (kind === resource.kind && schemaNameOf(apiVersion, kind) !== undefined) throw otherVersion(resource, apiVersion);
  throw notOfKind(resource, { kind, apiVersion }, object);
}

/** Rejects an object of one kind if another is expected. */
export function notOfKind(
  desired: Pick<Resource, 'group' | 'kind'>,
  { kind, apiVersion }: Said,
  object: unknown,
): ApiError {
  const version = apiVersion.split('/').at(-1) ?? '';
  const group = desired.group === '' ? 'core' : (desired.group.split('.')[0] ?? '');
  // It is first decoded as the type that it claims to be.
  const why =
    schemaNameOf(apiVersion, kind) === undefined
      ? `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`
      : (decodeBuiltIn(apiVersion, kind, object)?.error ??
        `converting (${version}.${kind}) to (${group}.${desired.kind}): unknown conversion`);
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${desired.kind}: ${why}`);
}

/** Rejects a body that does not specify its type. */
export function unrecognizedObject({ kind }: Resource, body: unknown, why: string): ApiError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${summaryOf(JSON.stringify(body))})`,
  );
}

export function notAnObject(body: unknown): string {
  const target =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const why = `json: cannot unmarshal ${typeName(body)} into Go value of type ${target}`;
  return `couldn't get version/kind; json parse error: ${why}`;
}

const SHOWN = 30;

/** Returns the beginning of a body: as text if it may be an object, otherwise as bytes. */
export function summaryOf(text: string): string {
  if (text === '') return '<empty>';
  const shown = text.startsWith('{') ? text.slice(0, SHOWN) : toHex(encodeUtf8(text).subarray(0, SHOWN));
  return text.length > SHOWN ? `${shown} ...` : shown;
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
