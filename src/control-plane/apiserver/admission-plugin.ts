import type { Client } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Authorize } from './access/attributes.ts';
import type { User } from './access/user.ts';
import type { ObjectSource } from './admission/stored-objects.ts';
import type { RequestContext } from './request-context.ts';
import type { Resource } from './resource.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Names a kind of objects. */
export interface ObjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One write as admission plugins see it. `object` may be changed by `mutate` only; on DELETE there is only `old`. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  /** The kind of these objects, where the subresource has one of its own: an Eviction, a Scale. */
  readonly kind?: ObjectKind;
  /** The options object of the request, such as DeleteOptions. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly call: RequestContext;
}

/** A step of admission; it refuses a write by throwing an ApiError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Changes the object in place, or returns another one. */
  mutate?(write: AdmissionAttributes): KubeObject | undefined | Promise<KubeObject | undefined>;
  validate?(write: AdmissionAttributes): void | Promise<void>;
  /** Hears what became of a write that it let pass, or that somebody else stopped: for what it took in advance. */
  settle?(write: AdmissionAttributes, stored: boolean): void;
}

/** What the API server offers to plugins of the program that embeds it. */
export interface PluginHost {
  readonly source: ObjectSource;
  readonly authorize: Authorize;
  /** A client that acts as a user. It works once the API server has started. */
  readonly client: (user: User) => Client;
}

/** Adds admission plugins to those of Kubernetes. */
export type AddPlugins = (host: PluginHost) => {
  /** Run after everything that may change an object, and before everything that only checks it. */
  readonly mutating?: readonly AdmissionPlugin[];
  /** Run after everything that only checks, because they may leave something behind. Only quota comes later. */
  readonly last?: readonly AdmissionPlugin[];
};
