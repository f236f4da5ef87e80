import { notAcceptable } from '../api-error.ts';

/** How a client wants its answer. */
export interface Wanted {
  readonly format: 'json' | 'yaml';
  /** The other shape that an object can be answered in. */
  readonly as: 'object' | 'table' | 'metadata' | 'metadata-list' | 'discovery';
}

const PLAIN: Wanted = { format: 'json', as: 'object' };
const SHAPES: Readonly<Record<string, Wanted['as']>> = {
  'Table meta.k8s.io v1': 'table',
  'PartialObjectMetadata meta.k8s.io v1': 'metadata',
  'PartialObjectMetadataList meta.k8s.io v1': 'metadata-list',
  'APIGroupDiscoveryList apidiscovery.k8s.io v2': 'discovery',
};
const ACCEPTED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/**
 * Takes the first form of an Accept header that is served here; protobuf is not, where JSON is accepted beside it.
 * `plainOnly`: what is asked for has no other shape than its own.
 */
export function negotiate(accept: string | undefined, plainOnly = false): Wanted {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return PLAIN;
  for (const part of accept.split(',')) {
    const [media = '', ...parameters] = part.split(';').map((text) => text.trim());
    const format = formatOf(media);
    if (format === undefined) continue;
    const wanted = Object.fromEntries(parameters.map((text) => text.split('=') as [string, string]));
    if (wanted['as'] === undefined) return { format, as: 'object' };
    const as = SHAPES[`${wanted['as']} ${wanted['g']} ${wanted['v']}`];
    if (as !== undefined && !plainOnly) return { format, as };
  }
  throw notAcceptable(ACCEPTED);
}

function formatOf(media: string): Wanted['format'] | undefined {
  if (media === 'application/json' || media === '*/*' || media === 'application/*') return 'json';
  return media === 'application/yaml' ? 'yaml' : undefined;
}
