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

/** Takes the first form of an Accept header that is served here; protobuf is not, where JSON is accepted beside it. */
export function negotiate(accept: string | undefined): Wanted {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return PLAIN;
  let allowed = false;
  for (const part of accept.split(',')) {
    const [media = '', ...parameters] = part.split(';').map((text) => text.trim());
    const format = formatOf(media);
    if (format === undefined) continue;
    const wanted = Object.fromEntries(parameters.map((text) => text.split('=') as [string, string]));
    if (wanted['as'] === undefined) return { format, as: 'object' };
    const as = SHAPES[`${wanted['as']} ${wanted['g']} ${wanted['v']}`];
    if (as !== undefined) return { format, as };
    allowed = true;
  }
  if (!allowed) throw notAcceptable(ACCEPTED);
  return PLAIN;
}

function formatOf(media: string): Wanted['format'] | undefined {
  if (media === 'application/json' || media === '*/*' || media === 'application/*') return 'json';
  return media === 'application/yaml' ? 'yaml' : undefined;
}
