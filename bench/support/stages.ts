import { admit, type Backend, mutate } from '#control-plane/apiserver/backend';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { textOf } from '#control-plane/apiserver/object-text';
import type { RequestContext } from '#control-plane/apiserver/request-context';
import type { Resource } from '#control-plane/apiserver/resource';
import { openMemoryStore } from '#control-plane/apiserver/store/memory-store';
import { decodeBody } from '#control-plane/apiserver/verbs/decode';
import { realClock } from '#platform/base/clock';
import { runSteps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';

const ROUNDS = 20_000;

/** Measures the microseconds of each stage of a create, repeatedly for one object. */
export async function stagesOfCreate(
  { backend }: ControlPlane,
  resource: Resource,
  make: () => KubeObject,
): Promise<Map<string, number>> {
  const call: RequestContext = {
    user: { name: 'admin', groups: ['system:masters'] },
    fieldManager: 'bench',
    dryRun: false,
    fieldValidation: 'Warn',
    warnings: [],
    signal: new AbortController().signal,
  };
  const whole = complete(decodeBody(resource, make(), call));
  const stages = new Map<string, number>();
  stages.set('copy', await microseconds(() => structuredClone(whole)));
  const bodies = Array.from({ length: ROUNDS }, make);
  stages.set('decode', await microseconds((i) => decodeBody(resource, bodies[i], call)));
  stages.set('admission', await microseconds(() => admitWrite(backend, resource, whole, call)));
  stages.set('validation', await microseconds(() => causes(resource, whole)));
  const writer = { manager: 'bench', subresource: '', time: '2026-01-01T00:00:00Z' };
  stages.set('fields', await microseconds(() => backend.fields.record(resource, whole, undefined, writer)));
  const store = openMemoryStore({ clock: realClock });
  stages.set(
    'text and store',
    await microseconds((i) => store.put(`/bench/${i}`, () => textOf(whole), { expected: 0 })),
  );
  await store.close();
  return stages;
}

function complete(object: KubeObject): KubeObject {
  Object.assign(object.metadata, { uid: '0', creationTimestamp: '2026-01-01T00:00:00Z', namespace: 'default' });
  return object;
}

async function admitWrite(
  backend: Backend,
  resource: Resource,
  object: KubeObject,
  call: RequestContext,
): Promise<void> {
  const { namespace = '', name = '' } = object.metadata;
  const write = {
    operation: 'CREATE',
    resource,
    subresource: '',
    namespace,
    name,
    old: undefined,
    options: {},
  } as const;
  await mutate(backend, { ...write, object, call });
  await admit(backend, { ...write, object, call });
}

function causes({ shape, strategy }: Resource, object: KubeObject): number {
  return runSteps(shape.validate(object)).length + (strategy.validate?.(object) ?? []).length;
}

async function microseconds(work: (i: number) => unknown): Promise<number> {
  const began = performance.now();
  for (let i = 0; i < ROUNDS; i++) {
    const result = work(i);
    if (result instanceof Promise) await result;
  }
  return ((performance.now() - began) * 1000) / ROUNDS;
}
