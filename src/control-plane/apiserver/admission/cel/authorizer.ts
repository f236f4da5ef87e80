import type { Library, Overload } from '#platform/structural/cel/library';
import { BOOL, objectOf, opaque, STRING, type Type } from '#platform/structural/cel/types';
import { EvaluationError, Mapping, Opaque, type Value } from '#platform/structural/cel/values';
import type { Authorize, Decision } from '../../access/attributes.ts';
import { AUTHENTICATED, serviceAccountGroups, serviceAccountUserName, type User } from '../../access/user.ts';

const type = (name: string): Type => opaque(`kubernetes.authorization.${name}`);
const PATH_CHECK = type('PathCheck');
const GROUP_CHECK = type('GroupCheck');
const RESOURCE_CHECK = type('ResourceCheck');
const DECISION = type('Decision');
const AUTHORIZER = objectOf('kubernetes.authorization.Authorizer', new Map([['requestResource', RESOURCE_CHECK]]));

/** Fields of a resource check that have been set so far. */
interface Asked {
  readonly user: User;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

const wrap = (kind: Type, data: unknown): Opaque => new Opaque(kind, data, JSON.stringify(data));

/** Value of `authorizer` in expressions, which checks permissions. */
export class Authorizer extends Mapping {
  readonly type: Type = AUTHORIZER;
  readonly size = 1;
  readonly user: User;
  readonly #request: Asked;

  constructor(user: User, request: Omit<Asked, 'user'>) {
    super();
    this.user = user;
    this.#request = { user, ...request };
  }

  get(key: Value): Value | undefined {
    return key === 'requestResource' ? wrap(RESOURCE_CHECK, this.#request) : undefined;
  }

  keys(): Iterable<Value> {
    return ['requestResource'];
  }

  as(user: User): Authorizer {
    return new Authorizer(user, this.#request);
  }
}

export const AUTHORIZER_TYPE = AUTHORIZER;

/** Functions of Kubernetes' authorizer library, evaluated by the authorizer of this server. */
export function authorizerLibrary(authorize: Authorize): Library {
  const decide = (attributes: Parameters<Authorize>[0]): Opaque => wrap(DECISION, authorize(attributes));
  return {
    overloads: [
      call('path', [AUTHORIZER, STRING], PATH_CHECK, ({ user }: Authorizer, path: string) => {
        if (path === '') throw new EvaluationError('path must not be empty');
        return wrap(PATH_CHECK, { user, path });
      }),
      call('group', [AUTHORIZER, STRING], GROUP_CHECK, ({ user }: Authorizer, group: string) =>
        wrap(GROUP_CHECK, { user, group }),
      ),
      call('serviceAccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, asServiceAccount),
      call('resource', [GROUP_CHECK, STRING], RESOURCE_CHECK, (check: Opaque, resource: string) =>
        wrap(RESOURCE_CHECK, { ...(check.data as object), resource, subresource: '', namespace: '', name: '' }),
      ),
      ...(['subresource', 'namespace', 'name'] as const).map((field) =>
        call(field, [RESOURCE_CHECK, STRING], RESOURCE_CHECK, (check: Opaque, value: string) =>
          wrap(RESOURCE_CHECK, { ...(check.data as Asked), [field]: value }),
        ),
      ),
      ...(['fieldSelector', 'labelSelector'] as const).map((selector) =>
        // RBAC ignores selectors, so they narrow a check without changing its result.
        call(selector, [RESOURCE_CHECK, STRING], RESOURCE_CHECK, (check: Opaque) => check),
      ),
      call('check', [PATH_CHECK, STRING], DECISION, (check: Opaque, verb: string) =>
        decide({ ...(check.data as { user: User; path: string }), verb }),
      ),
      call('check', [RESOURCE_CHECK, STRING], DECISION, (check: Opaque, verb: string) =>
        decide({ ...(check.data as Asked), verb }),
      ),
      call('allowed', [DECISION], BOOL, ({ data }: Opaque) => (data as Decision).allowed),
      call('reason', [DECISION], STRING, ({ data }: Opaque) => (data as Decision).reason),
      call('errored', [DECISION], BOOL, () => false),
      call('error', [DECISION], STRING, () => ''),
    ],
  };
}

function call(fn: string, params: readonly Type[], result: Type, apply: (...args: never[]) => Value): Overload {
  return { fn, isMethod: true, params, result, variables: [], apply: apply as unknown as Overload['apply'] };
}

function asServiceAccount(authorizer: Authorizer, namespace: string, name: string): Authorizer {
  return authorizer.as({
    name: serviceAccountUserName(namespace, name),
    groups: [...serviceAccountGroups(namespace), AUTHENTICATED],
  });
}
