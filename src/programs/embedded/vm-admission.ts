import type { Vmim } from '#api/kubevirt/resources';
import { virtualMachineInstanceMigration } from '#api/kubevirt/virtual-machine-instance-migration';
import { OPERATE } from '#api/operate-verb';
import type { AdmissionAttributes, AdmissionPlugin, PluginHost } from '#control-plane/apiserver/admission-plugin';
import { invalid } from '#control-plane/apiserver/api-error';
import { type ObjectSource, readObject } from '#control-plane/apiserver/object-source';
import { apiVersionOf, keyOf } from '#control-plane/apiserver/resource';
import { copyJson } from '#platform/base/json-copy';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Lookup, MigrationsOf } from '#vm/admission/admitter';
import type { FindAdmission } from '#vm/dialects/admitters';

/**
 * Admits our own kinds in the API server's process, without a webhook. It runs after everything that may change an
 * object, so that one response reports all errors, and again only for an object that was replaced or named since.
 */
export function vmAdmission({ source, authorize }: PluginHost, find: FindAdmission): AdmissionPlugin {
  const lookup = lookupIn(source);
  const migrationsOf = migrationsIn(source);

  const admitterFor = ({ resource, kind }: AdmissionAttributes) =>
    resource.custom && kind === undefined ? find(apiVersionOf(resource), resource.kind) : undefined;

  function run(write: AdmissionAttributes, object: KubeObject): KubeObject | undefined {
    const { resource, operation, subresource, old, call } = write;
    const requested = { group: resource.group, resource: resource.plural, namespace: write.namespace };
    const admit = admitterFor(write);
    if (admit === undefined || operation === 'CONNECT') return undefined;
    const verdict = admit({
      operation,
      object,
      ...(old === undefined ? {} : { old: old as unknown as ObjectOf<Kind> }),
      ...(subresource === '' ? {} : { subresource }),
      ...(resource.schema === undefined ? {} : { readBy: resource.schema }),
      user: call.user,
      operates: () => authorize({ user: call.user, verb: OPERATE, ...requested }).allowed,
      lookup,
      migrationsOf,
    });
    const { name, generateName } = object.metadata;
    if (verdict.causes.length > 0) throw invalid(resource, name || generateName || '', verdict.causes);
    for (const warning of verdict.warnings) if (!call.warnings.includes(warning)) call.warnings.push(warning);
    const result = verdict.object as unknown as KubeObject;
    // Rules may look at the name, and a generated name is not known yet.
    call.admitted = { object: result, fits: verdict.fits && result.metadata.name !== undefined };
    return result;
  }

  return {
    name: 'VimanaAdmission',
    mutate: (write) => (write.object === undefined ? undefined : run(write, write.object)),
    validate(write) {
      if (admitterFor(write) === undefined) return;
      const { object, call } = write;
      // A deleted object cannot be changed any more, and its earlier admission answered another question.
      if (write.operation === 'DELETE' && write.old !== undefined) run(write, write.old);
      const named = write.operation === 'CREATE' && write.name === '';
      // Validation works on a copy, so that it cannot change an object that others hold.
      if (object !== undefined && (named || call.admitted?.object !== object)) run(write, copyJson(object));
    },
  };
}

function lookupIn(source: ObjectSource): Lookup {
  return ({ group, versions, plural }, namespace, name) =>
    readObject(source, group, versions[0], plural, namespace, name) as never;
}

/** Finds the migrations of an instance among those of its namespace. Only texts with its name are parsed. */
function migrationsIn({ store, registry, parsed }: ObjectSource): MigrationsOf {
  const { group, versions, plural } = virtualMachineInstanceMigration;
  return (namespace, vmiName) => {
    const resource = registry.find(group, versions[0], plural);
    if (resource === undefined) return [];
    const named = JSON.stringify({ vmiName }).slice(1, -1);
    return store
      .range({ prefix: keyOf(resource, namespace, '') })
      .entries.filter(({ value }) => value.includes(named))
      .map((entry) => parsed.get(entry) as unknown as Vmim)
      .filter(({ spec }) => spec.vmiName === vmiName);
  };
}
