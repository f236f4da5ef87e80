import { type Answered, type Plane, startPlane } from './apiextensions/plane.fixture.ts';

export const NAMESPACE = '/api/v1/namespaces/default';
export const MERGE = 'application/merge-patch+json';
/** Template of valid pods. */
export const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
export const messageOf = ({ body }: Pick<Answered, 'body'>) => body['message'];

/** Starts a server that accepts pods, as a fresh kube-apiserver does. */
export async function startPlaneForPods(): Promise<Plane> {
  const plane = await startPlane();
  await plane.ask('POST', `${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  return plane;
}
