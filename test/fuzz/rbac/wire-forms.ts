import type { Random } from '#platform/base/random';
import type { FuzzKind } from './fuzz-kinds.ts';

type Header = readonly [string, string];

/** Formats in which objects can be requested. */
export const FORMS = {
  json: ['accept', 'application/json'],
  partial: ['accept', 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'],
  partialList: ['accept', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'],
  table: ['accept', 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json'],
  yaml: ['accept', 'application/yaml'],
  protobuf: ['accept', 'application/vnd.kubernetes.protobuf,application/json'],
  any: ['accept', '*/*'],
} as const satisfies Record<string, Header>;

/** Custom resources cannot be encoded in protobuf. */
export function acceptHeader(random: Random, kind: FuzzKind, isList = false): Header {
  const partial = isList ? FORMS.partialList : FORMS.partial;
  const forms = [FORMS.json, FORMS.json, partial, FORMS.table, FORMS.yaml, FORMS.any];
  return random.pick<Header>(kind.custom ? forms : [...forms, FORMS.protobuf]);
}
