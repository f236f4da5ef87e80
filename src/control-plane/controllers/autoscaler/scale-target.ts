import type { Client } from '#platform/kube/client';
import type { CrossVersionReference } from '#platform/kube/kinds/autoscaling';
import type { KubeObject } from '#platform/kube/kube-object';
import type { DiscoveryCache } from '#platform/runtime/discovery-cache';

export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

/** The scale of an object of any kind that has one. */
export class ScaleTarget {
  readonly #client: Client;
  readonly #path: string;

  constructor(client: Client, catalog: DiscoveryCache, namespace: string, reference: CrossVersionReference) {
    const { apiVersion = 'v1', kind, name } = reference;
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    const type =
      catalog.ofKind(apiVersion, kind) ??
      catalog.now.resources.find((each) => each.group === group && each.kind === kind);
    if (type === undefined) throw new Error(`no matches for kind "${kind}" in group "${group}"`);
    const root = group === '' ? '/api' : `/apis/${group}`;
    this.#client = client;
    this.#path = `${root}/${type.version}/namespaces/${namespace}/${type.plural}/${name}/scale`;
  }

  async read(): Promise<Scale> {
    return JSON.parse(await this.#client.raw(this.#path)) as Scale;
  }

  /** Sets the replicas of a scale as it was read. */
  async write(scale: Scale, replicas: number): Promise<void> {
    const body = { ...scale, spec: { ...scale.spec, replicas } };
    await this.#client.request({ method: 'PUT', path: this.#path, body });
  }
}
