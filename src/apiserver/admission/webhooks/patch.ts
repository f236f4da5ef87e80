import type { Json } from '../../../api/json-schema.ts';
import type { KubeObject } from '../../../kube/kube-object.ts';
import { applyJsonPatch } from '../../../kube/patches/json-patch.ts';
import { PatchError } from '../../../kube/patches/patch-error.ts';

interface Operation {
  readonly op?: string;
  readonly path?: string;
}

type JsonObject = { readonly [key: string]: Json };

/** An operation of a JSON patch that could not be done, in the words of the library that Kubernetes uses. */
export class PatchProblem extends Error {
  /** Whether it was a test that did not hold, rather than something wrong. */
  readonly test: boolean;
  constructor(message: string, test: boolean, cause: unknown) {
    super(message, { cause });
    this.test = test;
  }
}

/** The object after a JSON patch; throws a PatchProblem. The object itself is not changed. */
export function patched(object: KubeObject, operations: readonly unknown[]): KubeObject {
  const target = object as unknown as JsonObject;
  try {
    return structuredClone(applyJsonPatch(target, operations as unknown as Json)) as unknown as KubeObject;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw firstProblem(target, operations);
  }
}

/** Finds out which operation it was: one after another, until one fails. */
function firstProblem(target: JsonObject, operations: readonly unknown[]): PatchProblem {
  let document = target;
  for (const operation of operations) {
    try {
      document = applyJsonPatch(document, [operation] as unknown as Json);
    } catch (error) {
      return problemOf(document, operation as Operation, error);
    }
  }
  return new PatchProblem('the patch does not apply', false, undefined);
}

function problemOf(document: JsonObject, { op = '', path = '' }: Operation, cause: unknown): PatchProblem {
  const told = (message: string, test = false) => new PatchProblem(message, test, cause);
  switch (op) {
    case 'test':
      return told(`testing value ${path} failed: test failed`, true);
    case 'remove': {
      const last = path.split('/').at(-1) ?? '';
      return hasParent(document, path)
        ? told(`error in remove for path: '${path}': Unable to remove nonexistent key: ${last}: missing value`)
        : told(`remove operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`);
    }
    case 'add':
    case 'move':
    case 'copy':
      return told(`${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`);
    case 'replace':
      return told(`replace operation does not apply: doc is missing key: ${path}: missing value`);
    default:
      return told(`Unexpected kind: ${op}`);
  }
}

function hasParent(document: JsonObject, path: string): boolean {
  const parent = path.slice(0, path.lastIndexOf('/'));
  try {
    applyJsonPatch(document, [{ op: 'copy', from: parent === '' ? path : parent, path: '/metadata/x' }]);
    return true;
  } catch {
    return false;
  }
}
