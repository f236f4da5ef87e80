import type { Client } from '#platform/kube/client';
import { ENDPOINT_SLICES, type EndpointSlice } from '#platform/kube/kinds/network';
import { isNamespaceTerminating, isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import { TRIGGER_TIME } from './service-pods.ts';
import type { SlicePlan } from './slice-plan.ts';

export interface SliceWriting {
  /** Object whose slices these are. One that is terminating gets no more slices. */
  readonly service: KubeObject;
  /** Annotations that each written slice gets instead of the time of an earlier change. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly client: Client;
  readonly expectations: Expectations;
}

/** Carries out a plan of slices. The next plan waits until the cache shows its changes. */
export async function applySlicePlan(plan: SlicePlan, writing: SliceWriting): Promise<void> {
  const { service, annotations, client, expectations } = writing;
  const key = keyOf(service);
  for (const slice of service.metadata.deletionTimestamp === undefined ? plan.create : []) {
    const metadata = { ...slice.metadata, ...named({ ...slice.metadata.annotations, ...annotations }) };
    try {
      expectations.wrote(key, await client.create(ENDPOINT_SLICES, { ...slice, metadata }));
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      throw error;
    }
  }
  for (const slice of plan.update) {
    const { annotations: before = {}, ...metadata } = slice.metadata;
    const { [TRIGGER_TIME]: _time, ...kept } = before;
    const annotated = { ...metadata, ...named({ ...kept, ...annotations }) };
    expectations.wrote(key, await client.update(ENDPOINT_SLICES, { ...slice, metadata: annotated }));
  }
  for (const slice of plan.delete) await deleteSlice(slice, key, client, expectations);
}

const named = (annotations: Readonly<Record<string, string>>) =>
  Object.keys(annotations).length === 0 ? {} : { annotations };

async function deleteSlice(slice: EndpointSlice, key: string, client: Client, expectations: Expectations) {
  const { name = '', namespace = '', uid = '' } = slice.metadata;
  try {
    const left = await client.delete(ENDPOINT_SLICES, name, { namespace, preconditions: { uid } });
    if (left === undefined) expectations.removed(key, slice);
    else expectations.wrote(key, left);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
