import type { Client } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Authorize } from './access/attributes.ts';
import type { User } from './access/user.ts';
import type { ObjectSource } from './object-source.ts';
import type { RequestContext } from './request-context.ts';
import type { Resource } from './resource.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Identifies a kind of objects. */
export interface ObjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Describes one write for admission plugins. Only `mutate` may change `object`; on DELETE there is only `old`. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  /** Kind of these objects if the subresource has its own, such as Eviction or Scale. */
  readonly kind?: ObjectKind;
  /** Options object of the request, such as DeleteOptions. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly call: RequestContext;
}

/** Defines an admission step, which rejects a write by throwing an ApiError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Mutates the object in place, or returns another one. */
  mutate?(write: AdmissionAttributes): KubeObject | undefined | Promise<KubeObject | undefined>;
  validate?(write: AdmissionAttributes): void | Promise<void>;
  /** Receives the outcome of a write that this plugin admitted or another rejected, to release what it reserved. */
  settle?(write: AdmissionAttributes, stored: boolean): void;
}

/** Provides what plugins of the embedding program need from the API server. */
export interface PluginHost {
  readonly source: ObjectSource;
  readonly authorize: Authorize;
  /** Returns a client that acts as a user. */
  readonly client: (user: User) => Client;
}

/** Admission plugins in addition to those of Kubernetes. */
export interface AddedPlugins {
  /** Plugins that run after everything that may mutate an object, and before everything that only validates it. */
  readonly mutating?: readonly AdmissionPlugin[];
  /** Plugins that run after all validation, because they may have side effects. Only quota runs later. */
  readonly last?: readonly AdmissionPlugin[];
  /** Names of webhooks that these plugins replace. They are not called, even if a configuration lists them. */
  readonly replacedWebhooks?: readonly string[];
}

/** Creates the plugins that a program adds. */
export type AddPlugins = (host: PluginHost) => AddedPlugins;
