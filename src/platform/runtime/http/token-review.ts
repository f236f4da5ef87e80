import type { Logger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { type Denial, NO_SUCH_TOKEN, type ReviewToken } from './access.ts';

const TOKEN_REVIEWS = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
const ACCESS_REVIEWS = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' };
const TOKEN_REVIEWS_PATH = '/apis/authentication.k8s.io/v1/tokenreviews';
const ACCESS_REVIEWS_PATH = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

interface TokenReviewStatus {
  readonly authenticated?: boolean;
  readonly user?: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
}

/**
 * Accepts tokens of a cluster, whose API server identifies the user and checks the permission. Roles grant it as for
 * other HTTP servers of Kubernetes, with `nonResourceURLs` and the lower-case method as the verb.
 */
export function tokenReview(client: Client, log: Logger): ReviewToken {
  const statusOf = async <T>(path: string, body: object, signal: AbortSignal): Promise<T | undefined> => {
    const response = await client.request({ method: 'POST', path, body }, { signal });
    return (response.body as { readonly status?: T }).status;
  };
  return async (token, { method = 'GET', url = '/' }, signal) => {
    try {
      const review = { ...TOKEN_REVIEWS, spec: { token } };
      const { authenticated, user = {} } =
        (await statusOf<TokenReviewStatus>(TOKEN_REVIEWS_PATH, review, signal)) ?? {};
      if (authenticated !== true || !user.username) return NO_SUCH_TOKEN;
      const { username, uid, groups, extra } = user;
      const nonResourceAttributes = { path: pathOf(url), verb: method.toLowerCase() };
      const access = { ...ACCESS_REVIEWS, spec: { user: username, uid, groups, extra, nonResourceAttributes } };
      const { allowed } = (await statusOf<{ readonly allowed?: boolean }>(ACCESS_REVIEWS_PATH, access, signal)) ?? {};
      return allowed === true ? undefined : forbidden(username, nonResourceAttributes);
    } catch (error) {
      log.warn({ err: error }, 'failed to review a token with the API server');
      return { status: 403, text: 'failed to review the token with the API server' };
    }
  };
}

function forbidden(user: string, { path, verb }: { readonly path: string; readonly verb: string }): Denial {
  return { status: 403, text: `User ${JSON.stringify(user)} cannot ${verb} path ${JSON.stringify(path)}` };
}

const pathOf = (url: string) => url.split(/[?#]/, 1)[0] ?? url;
