import { afterEach, beforeEach } from 'vitest';
import { HYPERSDK_VMS, type Template, VM_TEMPLATES } from '#api/hypersdk/resources';
import { virtualMachine } from '#api/hypersdk/virtual-machine';
import { vmTemplate } from '#api/hypersdk/vm-template';
import type { Client } from '#platform/kube/client';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { runnable } from '#platform/runtime/controller';
import { crdOf } from '#platform/schema/crd';
import { startVmCluster, type VmCluster } from '#testing/vm-cluster';
import { templates } from './controller.ts';
import { TEMPLATE_RULES } from './rbac.ts';

export const namespace = 'default';
export const IMAGE = 'https://images.example.org/debian-12.qcow2';

/** Starts a cluster for each test of a file, in which the template controller can run. */
export function templateHarness() {
  let cluster: VmCluster;
  beforeEach(async () => {
    cluster = await startVmCluster(TEMPLATE_RULES);
    for (const kind of [virtualMachine, vmTemplate])
      await cluster.admin.create(CUSTOM_RESOURCE_DEFINITIONS, crdOf(kind));
    await cluster.until(() =>
      Promise.all([cluster.admin.list(VM_TEMPLATES), cluster.admin.list(HYPERSDK_VMS)]).then(
        () => true,
        () => false,
      ),
    );
  });
  afterEach(() => cluster.stop());
  return {
    get cluster() {
      return cluster;
    },
    get admin() {
      return cluster.admin;
    },
    start: (options: Parameters<typeof templates>[0] = {}, wrap?: (client: Client) => Client) =>
      cluster.operate((parts) => [runnable(templates(options), parts)], wrap),
    template: (name: string): Promise<Template> => cluster.admin.get(VM_TEMPLATES, name, { namespace }),
    makeTemplate: (name: string, spec: object = {}) =>
      cluster.admin.create(VM_TEMPLATES, {
        metadata: { name, namespace },
        spec: { displayName: name, image: { source: IMAGE }, ...spec },
      }),
    makeMachine: (name: string, template: string, place = namespace) =>
      cluster.admin.create(HYPERSDK_VMS, {
        metadata: { name, namespace: place },
        spec: { cpus: 1, memory: '1Gi', image: { templateRef: { name: template, namespace } } },
      }),
    /** Deletes a VM after removing its finalizer, since no VM controller runs. */
    async removeMachine(name: string, place = namespace) {
      await cluster.admin.patch(
        HYPERSDK_VMS,
        name,
        { type: 'merge', body: { metadata: { finalizers: null } } },
        { namespace: place },
      );
      await cluster.admin.delete(HYPERSDK_VMS, name, { namespace: place });
    },
  };
}
