import { encodeUtf8 } from '#platform/base/bytes';
import type { ApiExtension } from '#platform/kube/api-extension';
import type { Explanation, PodExplanation } from '#platform/kube/kinds/pod-explanation';
import { KubeError } from '#platform/kube/kube-error';
import type { Route } from '#platform/runtime/http/route';

/** Returns the recorded attempts to schedule a pod, oldest first. */
export type ExplanationsOf = (namespace: string, name: string) => readonly Explanation[];

const GROUP = 'scheduling.vimana.io';

/** Serves the recorded attempts as an API of its own, so that roles decide who may read it. */
export function explanationsApi(explanationsOf: ExplanationsOf): ApiExtension {
  return {
    group: GROUP,
    version: 'v1alpha1',
    resources: [{ name: 'podexplanations', namespaced: true, kind: 'PodExplanation', verbs: ['get'] }],
    handle({ namespace, name }) {
      const body = explanationOf(explanationsOf, namespace, name);
      if (body !== undefined) return { status: 200, body };
      const details = { name, group: GROUP, kind: 'podexplanations' };
      throw new KubeError(404, 'NotFound', `podexplanations.${GROUP} "${name}" not found`, details);
    },
  };
}

/**
 * Serves the same at `/explain/NAMESPACE/POD` by plain HTTP beside /metrics. No role guards it, so it is not open to
 * everybody.
 */
export function explanationsRoute(explanationsOf: ExplanationsOf): Route {
  return {
    path: '/explain/',
    access: 'authorized',
    handle(request, response) {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const [, , namespace = '', name = '', ...more] = pathname.split('/');
      const known = more.length === 0 ? explanationOf(explanationsOf, namespace, name) : undefined;
      const said = known ?? {
        message:
          namespace === '' || name === '' || more.length > 0
            ? 'the path must be /explain/NAMESPACE/POD'
            : `no scheduling attempt for pod "${namespace}/${name}" is recorded`,
      };
      const body = encodeUtf8(`${JSON.stringify(said, undefined, 2)}\n`);
      response
        .writeHead(known === undefined ? 404 : 200, {
          'content-type': 'application/json',
          'content-length': body.length,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        })
        .end(body);
    },
  };
}

function explanationOf(of: ExplanationsOf, namespace: string, name: string): PodExplanation | undefined {
  const attempts = of(namespace, name);
  if (attempts.length === 0) return undefined;
  return { apiVersion: `${GROUP}/v1alpha1`, kind: 'PodExplanation', metadata: { name, namespace }, attempts };
}
