import type { KubeObject } from '../../kube/kube-object.ts';
import type { Call } from '../call.ts';
import type { Target } from '../verbs/target.ts';

/** Does what a POST to a subresource asks for, and answers with the object that the API has for it. */
export type Act = (target: Target, body: object, call: Call) => Promise<KubeObject>;
