import { noRepresentation, notAcceptable } from '../api-error.ts';

/** How a client wants its answer. */
export interface AcceptedFormat {
  readonly format: 'json' | 'yaml';
  /** The other shape that an object can be answered in. */
  readonly as: 'object' | 'table' | 'metadata' | 'metadata-list' | 'discovery';
  /** Of that shape. */
  readonly version: 'v1' | 'v1beta1';
}

const PLAIN: AcceptedFormat = { format: 'json', as: 'object', version: 'v1' };
/** What objects and lists can be seen as. */
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

const ACCEPTED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAMED = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/**
 * Takes the form of an Accept header that the client likes best of those that are served here; protobuf is not, where
 * JSON is accepted beside it.
 */
export function negotiate(accept: string | undefined, shapes: Shapes = OBJECT_SHAPES): AcceptedFormat {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return PLAIN;
  for (const { format, parameters } of clausesOf(accept)) {
    const { as, g, v, stream } = parameters;
    if (stream !== undefined && (stream !== 'watch' || format === 'yaml')) continue;
    if (as === undefined) return { ...PLAIN, format };
    const shape = shapes[`${as} ${g} ${v}`];
    if (shape !== undefined) return { format, as: shape[0], version: shape[1] };
  }
  throw notAcceptable(ACCEPTED);
}

/**
 * Built-in resources refuse a client that takes none of the media types of their routes before they look at anything
 * else; `lists` can be watched too.
 */
export function checkOffered(accept: string | undefined, lists: boolean): void {
  if (accept === undefined || accept === '') return;
  const wanted = accept.split(',').map((part) => part.split(';')[0]?.trim() ?? '');
  if (wanted.some((media) => media === '*/*' || ACCEPTED.includes(media))) return;
  throw noRepresentation(lists ? [...ACCEPTED, ...STREAMED] : ACCEPTED);
}

/** Events follow each other as JSON or not at all. */
export function negotiateWatch(accept: string | undefined): AcceptedFormat {
  const wanted = negotiate(accept);
  if (wanted.format === 'yaml') throw notAcceptable(STREAMED);
  return wanted;
}

interface Clause {
  readonly format: AcceptedFormat['format'];
  readonly parameters: Readonly<Record<string, string>>;
}

/** What of a header is served here, the most wanted first. */
function clausesOf(accept: string): readonly Clause[] {
  const clauses = accept.split(',').flatMap((part) => {
    const [media = '', ...rest] = part.split(';').map((text) => text.trim());
    const format = formatOf(media);
    if (format === undefined) return [];
    const parameters = Object.fromEntries(rest.map((text) => text.split('=') as [string, string]));
    const quality = Number(parameters['q'] ?? 1);
    return [{ format, parameters, quality: Number.isNaN(quality) ? 1 : quality }];
  });
  return clauses.sort((a, b) => b.quality - a.quality);
}

function formatOf(media: string): AcceptedFormat['format'] | undefined {
  if (media === 'application/json' || media === '*/*' || media === 'application/*') return 'json';
  return media === 'application/yaml' ? 'yaml' : undefined;
}
