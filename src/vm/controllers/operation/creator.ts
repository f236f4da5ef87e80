import { OPERATION, OPERATION_UID } from '#api/operation-request';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Operation } from './operation.ts';

/** By these, what an operation has made is known as its own. */
export const creatorAnnotations = ({ metadata }: Operation) => ({
  [OPERATION]: `${metadata.namespace}/${metadata.name}`,
  [OPERATION_UID]: metadata.uid,
});

export const isCreatedBy = (object: KubeObject, { metadata }: Operation) =>
  object.metadata.annotations?.[OPERATION_UID] === metadata.uid;
