import { isDeepStrictEqual } from 'node:util';
import { parseFiniteJson } from '#platform/base/finite-json';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Write } from '../../admission-plugin.ts';
import { internal } from '../../api-error.ts';
import { isExempt } from '../matching.ts';
import { redecoded } from '../redecode.ts';
import type { Mutator, Turns } from '../reinvocation.ts';
import { takenFrom } from '../versions.ts';
import { type Asked, type AskParts, ask, failure } from './ask.ts';
import type { Hook, Hooks } from './hook.ts';
import { PatchProblem, patched } from './patch.ts';
import { HookFailure } from './response.ts';

/** Asks mutating webhooks one after another, each about what the ones before it left. */
export function mutatingWebhooks(hooks: Hooks, parts: AskParts): Mutator {
  return {
    get idle() {
      return hooks.size === 0;
    },
    async mutate(write, given, turns) {
      if (isExempt(write)) return given;
      let object = given;
      for (const hook of hooks.all()) object = await takeTurn(parts, hook, write, object, turns);
      return object;
    },
  };
}

async function takeTurn(
  parts: AskParts,
  hook: Hook,
  write: Write,
  object: KubeObject,
  turns: Turns,
): Promise<KubeObject> {
  if (!turns.isOn(hook.id)) return object;
  const deleting = write.operation === 'DELETE';
  const shown = write.operation === 'CREATE' && write.kind === undefined ? unborn(object) : object;
  const asked = await ask(parts, hook, deleting ? write : { ...write, object: shown }, true);
  if (asked === undefined) return object;
  const found = deleting ? shown : await changed(hook, write, shown, asked);
  const next = found === shown ? object : born(found, shown === object ? {} : object.metadata);
  turns.took(hook.id, hook.spec.reinvocationPolicy === 'IfNeeded', next !== object);
  return next;
}

/** A new object as it is before the server has said which one it is. */
function unborn(object: KubeObject): KubeObject {
  const { uid: _uid, creationTimestamp: _time, generation: _generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function born(object: KubeObject, { uid, creationTimestamp, generation }: KubeObject['metadata']): KubeObject {
  if (uid !== undefined) object.metadata.uid = uid;
  if (creationTimestamp !== undefined) object.metadata.creationTimestamp = creationTimestamp;
  if (generation !== undefined) object.metadata.generation = generation;
  return object;
}

/** The object after the patch of a webhook; the same one where that changes nothing. */
async function changed(
  { spec }: Hook,
  write: Write,
  object: KubeObject,
  { response, shownAs, object: shown = object }: Asked,
): Promise<KubeObject> {
  const operations = operationsOf(response.patch);
  if (operations instanceof HookFailure) {
    if (spec.failurePolicy === 'Ignore') return object;
    throw failure(spec.name, operations);
  }
  if (operations.length === 0) return object;
  try {
    const result = redecoded(shownAs, patched(shown, operations), write.kind);
    const next = await takenFrom(write, result, shownAs);
    return isDeepStrictEqual(next, object) ? object : next;
  } catch (error) {
    throw error instanceof PatchProblem ? internal(error) : error;
  }
}

function operationsOf(patch = ''): readonly unknown[] | HookFailure {
  if (patch === '') return [];
  const text = Buffer.from(patch, 'base64').toString('utf8');
  try {
    const operations: unknown = parseFiniteJson(text);
    if (Array.isArray(operations)) return operations;
    return new HookFailure('received undecodable patch in webhook response: json: cannot unmarshal into a patch');
  } catch (error) {
    const [first = ''] = text.trimStart();
    const why =
      first === '' ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`;
    return new HookFailure(`received undecodable patch in webhook response: ${why}`, { cause: error });
  }
}
