import { findAdmission } from '../admission/admitters.ts';
import { invalid } from '../apiserver/api-error.ts';
import type { Review } from '../machine/review.ts';

/** Stands for the operator's own user, which may give instances any size and label. */
const OPERATOR = 'operator';
/** As much as a condition can say. */
const LONGEST_MESSAGE = 32_768;

/** Asks admission once more about what is stored, whoever let it in. */
export function storedReview(): Review {
  const find = findAdmission({ operatorUser: OPERATOR });
  return (kind, object) => {
    // What is only warned of in the oldest version may have been written in it: machines tell of that in their own words.
    const apiVersion = `${kind.group}/${kind.versions.at(-1) ?? ''}`;
    const owned = object.metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
    const verdict = find(
      apiVersion,
      kind.kind,
    )?.({
      operation: 'CREATE',
      object: { ...object, apiVersion, kind: kind.kind },
      readBy: kind.schema,
      user: { name: owned ? OPERATOR : '', groups: [] },
      // What an object refers to may have changed since.
      lookup: () => undefined,
    });
    if (verdict === undefined || verdict.causes.length === 0) return undefined;
    const { message } = invalid(kind, object.metadata.name ?? '', verdict.causes);
    return { reason: 'Invalid', message: message.slice(0, LONGEST_MESSAGE) };
  };
}
