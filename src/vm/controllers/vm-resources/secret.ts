import { HYPERSDK_VMS, type HypersdkVm, VM_TEMPLATES } from '#api/hypersdk/resources';
import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { templateFor } from '#api/hypersdk/template-use';
import { SECRETS } from '#platform/kube/kinds/core';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Index } from '#platform/runtime/cache';
import { type Context, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { DependencyProvider } from '#vm/engine/dependency-provider';
import { byTemplate } from './hypersdk.ts';

/** Machines by the Secret that they themselves name. */
const bySecret: Index<HypersdkVm> = {
  values({ metadata, spec }) {
    const { name } = spec.cloudInit?.secretRef ?? {};
    return name === undefined ? [] : [keyIn(metadata.namespace, name)];
  },
};

/** Machines that may have waited for a Secret: those that name it, and those whose template does. */
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
 * Whether the Secret with the cloud-init of a machine is there; what is in it is nothing to us. It takes the right to
 * read every Secret, so that it is for control planes of our own: on any other cluster kubelets look after it.
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
