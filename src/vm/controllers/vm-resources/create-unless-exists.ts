import { isAlreadyExists } from '#platform/kube/kube-error';

/** Returns the created object, or undefined if it already exists, which the cache is about to show. */
export async function createUnlessExists<T>(creation: Promise<T>): Promise<T | undefined> {
  try {
    return await creation;
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}
