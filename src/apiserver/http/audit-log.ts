import type { FinishedRequest } from './server.ts';

/** One line of JSON for a finished request, in the shape of Kubernetes' audit events at the level Metadata. */
export function auditLine({ request, method, path, status, auditId }: FinishedRequest, time: string): string {
  const user = request?.user;
  const event = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: auditId,
    stage: 'ResponseComplete',
    requestURI: path,
    verb: method.toLowerCase(),
    user: user === undefined ? {} : { username: user.name, groups: user.groups },
    userAgent: request?.header('user-agent') ?? '',
    responseStatus: { code: status },
    requestReceivedTimestamp: time,
  };
  return `${JSON.stringify(event)}\n`;
}
