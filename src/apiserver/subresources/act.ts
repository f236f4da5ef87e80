import type { KubeObject } from '../../kube/kube-object.ts';
import type { Status } from '../api-error.ts';
import type { Backend } from '../backend.ts';
import type { Call } from '../call.ts';
import type { Target } from '../verbs/target.ts';

/** Does what a POST to a subresource asks for, and answers with the object that the API has for it. */
export type Act = (backend: Backend, target: Target, body: KubeObject, call: Call) => Promise<KubeObject | Status>;

/** The answer to an action that leaves nothing to show. */
export const DONE: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
