import { ApiError, noRepresentation, notAcceptable } from '../api-error.ts';
import { PROTOBUF, WATCH_PROTOBUF } from '../protobuf/protobuf.ts';
import type { Resource } from '../resource.ts';

/** Describes the response format that a client accepts. */
export interface AcceptedFormat {
  readonly format: 'json' | 'yaml' | 'protobuf';
  /** Representation of the response. */
  readonly as: 'object' | 'table' | 'metadata' | 'metadata-list' | 'discovery';
  /** Version of that representation. */
  readonly version: 'v1' | 'v1beta1';
}

const PLAIN: AcceptedFormat = { format: 'json', as: 'object', version: 'v1' };
/** Representations of objects and lists. */
export const OBJECT_SHAPES: Shapes = {
  'Table meta.k8s.io v1': ['table', 'v1'],
  'Table meta.k8s.io v1beta1': ['table', 'v1beta1'],
  'PartialObjectMetadata meta.k8s.io v1': ['metadata', 'v1'],
  'PartialObjectMetadata meta.k8s.io v1beta1': ['metadata', 'v1beta1'],
  'PartialObjectMetadataList meta.k8s.io v1': ['metadata-list', 'v1'],
  'PartialObjectMetadataList meta.k8s.io v1beta1': ['metadata-list', 'v1beta1'],
};
export const DISCOVERY_SHAPES: Shapes = { 'APIGroupDiscoveryList apidiscovery.k8s.io v2': ['discovery', 'v1'] };
export const NO_SHAPES: Shapes = {};

type Shapes = Readonly<Record<string, readonly [AcceptedFormat['as'], AcceptedFormat['version']]>>;

const ACCEPTED = ['application/json', 'application/yaml', PROTOBUF];
const STREAMED = ['application/json;stream=watch', WATCH_PROTOBUF];

/**
 * Selects the format of an Accept header that the client prefers among those served here. Objects are stored as JSON, so
 * protobuf is used only if the client accepts nothing else. Tables have no protobuf.
 */
export function negotiate(accept: string | undefined, shapes: Shapes = OBJECT_SHAPES): AcceptedFormat {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return PLAIN;
  for (const { format, parameters } of clausesOf(accept)) {
    const { as, g, v, stream } = parameters;
    if (stream !== undefined && (stream !== 'watch' || format === 'yaml')) continue;
    if (as === undefined) return { ...PLAIN, format };
    const shape = shapes[`${as} ${g} ${v}`];
    if (shape?.[0] === 'table' && format === 'protobuf') continue;
    if (shape !== undefined) return { format, as: shape[0], version: shape[1] };
  }
  throw notAcceptable(ACCEPTED);
}

/**
 * Rejects a client that accepts no media type of the routes of built-in resources, before anything else is checked.
 * `lists` can be watched too.
 */
export function checkOffered(accept: string | undefined, lists: boolean): void {
  if (accept === undefined || accept === '') return;
  const desired = accept.split(',').map((part) => part.split(';')[0]?.trim() ?? '');
  if (desired.some((media) => media === '*/*' || ACCEPTED.includes(media))) return;
  throw noRepresentation(lists ? [...ACCEPTED, ...STREAMED] : ACCEPTED);
}

/** Negotiates the format of a watch, whose events are available as JSON and protobuf. */
export function negotiateWatch(accept: string | undefined): AcceptedFormat {
  const desired = negotiate(accept);
  if (desired.format === 'yaml') throw notAcceptable(STREAMED);
  return desired;
}

/**
 * Rejects a client that accepts only protobuf of a custom resource, which has none, before anything is done. Its
 * metadata does have it.
 */
export function checkProtobuf({ custom }: Resource, accept: string | undefined, isList: boolean): void {
  const { format, as } = negotiate(accept);
  if (!custom || format !== 'protobuf' || as !== 'object') return;
  const type = `*unstructured.Unstructured${isList ? 'List' : ''}`;
  const message = `object ${type} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`;
  throw new ApiError(406, 'NotAcceptable', message);
}

interface Clause {
  readonly format: AcceptedFormat['format'];
  readonly parameters: Readonly<Record<string, string>>;
}

/** Returns the clauses of a header that are served here, the most preferred first. */
function clausesOf(accept: string): readonly Clause[] {
  const clauses = accept.split(',').flatMap((part) => {
    const [media = '', ...rest] = part.split(';').map((text) => text.trim());
    const format = formatOf(media);
    if (format === undefined) return [];
    const parameters = Object.fromEntries(rest.map((text) => text.split('=') as [string, string]));
    const quality = Number(parameters['q'] ?? 1);
    return [{ format, parameters, quality: Number.isNaN(quality) ? 1 : quality }];
  });
  const isLast = ({ format }: Clause) => Number(format === 'protobuf');
  return clauses.sort((a, b) => isLast(a) - isLast(b) || b.quality - a.quality);
}

function formatOf(media: string): AcceptedFormat['format'] | undefined {
  if (media === 'application/json' || media === '*/*' || media === 'application/*') return 'json';
  if (media === PROTOBUF) return 'protobuf';
  return media === 'application/yaml' ? 'yaml' : undefined;
}
