import { OPERATION, OPERATION_UID } from '#api/operation-request';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Operation } from './operation.ts';

/** Returns the annotations that mark an object as created by an operation. */
export const creatorAnnotations = ({ metadata }: Operation) => ({
  [OPERATION]: `${metadata.namespace}/${metadata.name}`,
  [OPERATION_UID]: metadata.uid,
});

export const isCreatedBy = (object: KubeObject, { metadata }: Operation) =>
  object.metadata.annotations?.[OPERATION_UID] === metadata.uid;
