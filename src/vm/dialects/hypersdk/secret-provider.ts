import { HYPERSDK_VMS, type HypersdkVm, VM_TEMPLATES } from '#api/hypersdk/resources';
import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { templateFor } from '#api/hypersdk/template-use';
import { SECRETS } from '#platform/kube/kinds/core';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Index } from '#platform/runtime/cache';
import { type Context, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { DependencyProvider } from '#vm/engine/dependency-provider';
import { byTemplate } from './vm-resources.ts';

/** Indexes VMs by the Secret that they reference themselves. */
const bySecret: Index<HypersdkVm> = {
  values({ metadata, spec }) {
    const { name } = spec.cloudInit?.secretRef ?? {};
    return name === undefined ? [] : [keyIn(metadata.namespace, name)];
  },
};

/** Returns the VMs that may wait for a Secret: those that reference it, and those whose template does. */
function* vmsOfSecret({ metadata }: KubeObject, { cache }: Pick<Context, 'cache'>): Generator<string> {
  const { name = '', namespace } = metadata;
  for (const vm of cache(HYPERSDK_VMS).by(bySecret, keyIn(namespace, name))) yield keyOf(vm);
  for (const template of cache(VM_TEMPLATES).all()) {
    if (template.spec.defaultSpec?.cloudInit?.secretRef?.name !== name) continue;
    for (const vm of cache(HYPERSDK_VMS).by(byTemplate, keyOf(template))) {
      if (vm.metadata.namespace === namespace) yield keyOf(vm);
    }
  }
}

/**
 * Provides whether the cloud-init Secret of a VM exists, without its contents. It needs permission to read all Secrets,
 * so it is only for our own control planes; elsewhere kubelets handle this.
 */
export const secretProvider: DependencyProvider<'secret'> = {
  watches: [
    watchSource(SECRETS, (secret, context, { type }) => (type === 'updated' ? [] : vmsOfSecret(secret, context))),
  ],
  reads: [VM_TEMPLATES],
  provide(object, { cache }) {
    const vm = object as HypersdkVm;
    const template = templateFor(vm, (key) => cache(VM_TEMPLATES).get(key));
    const spec = typeof template === 'object' ? withTemplateDefaults(vm.spec, template.spec) : vm.spec;
    const { name } = spec.cloudInit?.secretRef ?? {};
    if (name === undefined) return undefined;
    return cache(SECRETS).get(keyIn(vm.metadata.namespace, name)) === undefined ? 'missing' : 'there';
  },
};
