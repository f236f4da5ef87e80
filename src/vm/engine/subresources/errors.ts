import { KubeError } from '#platform/kube/kube-error';

/** Object of a request. KubeVirt names kinds in the singular here, and its tools match these texts. */
export interface Subject {
  readonly kind: 'virtualmachine' | 'virtualmachineinstance';
  readonly name: string;
}

const GROUP = 'kubevirt.io';
const detailsOf = ({ kind, name }: Subject) => ({ name, group: GROUP, kind });

export function notFound(subject: Subject): KubeError {
  const message = `${subject.kind}.${GROUP} "${subject.name}" not found`;
  return new KubeError(404, 'NotFound', message, detailsOf(subject));
}

export function conflict(subject: Subject, why: string): KubeError {
  const message = `Operation cannot be fulfilled on ${subject.kind}.${GROUP} "${subject.name}": ${why}`;
  return new KubeError(409, 'Conflict', message, detailsOf(subject));
}

export function forbidden(subject: Subject, why: string): KubeError {
  const message = `${subject.kind}.${GROUP} "${subject.name}" is forbidden: ${why}`;
  return new KubeError(403, 'Forbidden', message, detailsOf(subject));
}

export function badRequest(message: string): KubeError {
  return new KubeError(400, 'BadRequest', message);
}

/** Returns the error after every attempt has conflicted, although the request is valid. */
export function tryAgain(resource: string, action: string): KubeError {
  const message = `The ${action} operation against ${resource}.subresources.${GROUP} could not be completed at this time, please try again.`;
  return new KubeError(500, 'ServerTimeout', message, {
    group: `subresources.${GROUP}`,
    kind: resource,
    retryAfterSeconds: 1,
  });
}

/** Returns the error for known subresources that are not implemented. */
export function notImplemented(what: string): KubeError {
  return new KubeError(501, 'NotImplemented', `${what} is not supported yet`);
}
