import { realClock } from '#platform/base/clock';
import { createMemoryLogger, type MemoryLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import type { Client, ResourceType, WatchEvent } from '#platform/kube/client';
import { waitUntil } from '#testing/wait';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  type OpenControlPlane,
  openControlPlane,
  type ServeOptions,
} from '../control-plane.ts';
import { type Crd, isTrue } from './crd.ts';

export const GROUP = 'test.example.com';
export const DEFINITIONS: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

export interface Answered {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly warning: string | null;
}

/** An in-memory control plane with an administrator for both of its interfaces. */
export interface Plane {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly log: MemoryLogger;
  /** Sends a request. A string body is sent as it is, everything else as JSON. */
  readonly ask: (method: string, path: string, body?: unknown, type?: string) => Promise<Answered>;
  /** Creates a CRD and returns it once it is established. */
  define(definition: NewDefinition): Promise<Crd>;
  /** Changes the spec of a CRD. */
  redefine(name: string, change: (spec: Crd['spec']) => void): Promise<void>;
  /** Waits until a check passes. */
  until(check: () => boolean | Promise<boolean>): Promise<void>;
  /** Collects the events of a watch until it ends. */
  follow(type: ResourceType, namespace?: string): { readonly events: string[]; readonly ended: Promise<void> };
}

export type NewDefinition = Pick<Crd, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;
type Version = Crd['spec']['versions'][number];

export async function startPlane(options: ControlPlaneOptions & ServeOptions = {}): Promise<Plane> {
  const { serve } = await openPlane(options);
  return await serve(options);
}

/** Opens such a control plane, for tests whose additions use its clients. */
export async function openPlane(options: ControlPlaneOptions = {}): Promise<{
  readonly opened: OpenControlPlane;
  readonly serve: (added: ServeOptions) => Promise<Plane>;
}> {
  const log = createMemoryLogger(realClock);
  const random = seededRandom('custom');
  const opened = await openControlPlane({ clock: realClock, random, log, insecure: true, ...options });
  return { opened, serve: async (added) => planeOf(await opened.serve(added), log) };
}

function planeOf(plane: ControlPlane, log: MemoryLogger): Plane {
  const client = plane.client({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }, 'test');
  return {
    plane,
    client,
    log,
    until: waitUntil,
    async ask(method, path, body, type = 'application/json') {
      const response = await fetch(`${plane.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${plane.adminToken}`, 'content-type': type },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const parsed = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text };
      return { code: response.status, body: parsed, warning: response.headers.get('warning') };
    },
    async define(definition) {
      const { name = '' } = definition.metadata;
      await client.create(DEFINITIONS, definition);
      for await (const { object } of client.watch(DEFINITIONS, { fieldSelector: `metadata.name=${name}` })) {
        if (isTrue(object as unknown as Crd, 'Established')) return object as unknown as Crd;
      }
      throw new Error('the watch ended');
    },
    async redefine(name, change) {
      const object = structuredClone(await client.get(DEFINITIONS, name));
      change((object as unknown as Crd).spec);
      await client.update(DEFINITIONS, object);
    },
    follow(type, namespace = 'default') {
      const events: string[] = [];
      const run = async (): Promise<void> => {
        for await (const event of client.watch(type, { namespace })) events.push(shown(event));
      };
      return { events, ended: run() };
    },
  };
}

function shown({ type, object }: WatchEvent): string {
  return `${type} ${object.metadata.name} ${object.apiVersion.split('/')[1]}`;
}

export function version(name = 'v1', more: Partial<Version> = {}): Version {
  return { name, served: true, storage: name === 'v1', schema: specOf({ a: { type: 'string' } }), ...more };
}

/** Returns a schema whose spec has these fields. */
export function specOf(properties: object): NonNullable<Version['schema']> {
  return {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } as NonNullable<
      NonNullable<Version['schema']>['openAPIV3Schema']
    >,
  };
}

export function definitionOf(
  plural: string,
  kind: string,
  versions: Version[] = [version()],
  more: Partial<Crd['spec']> = {},
): NewDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: { group: GROUP, scope: 'Namespaced', names: { plural, kind }, versions, ...more },
  };
}

export function typeOf({ spec }: NewDefinition, name = 'v1'): ResourceType {
  const { plural, kind } = spec.names;
  return { group: spec.group, version: name, plural, kind, namespaced: spec.scope === 'Namespaced' };
}
