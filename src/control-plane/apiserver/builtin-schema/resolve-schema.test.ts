import { describe, expect, it } from 'vitest';
import discovery from '../kubernetes/discovery.data.json' with { type: 'json' };
import { decodeBuiltIn } from './decode.ts';
import { schemaNameOf } from './kinds.ts';
import { applyBuiltInDefaults, builtInStructural, resolveSchema } from './resolve-schema.ts';

interface Version {
  readonly version: string;
  readonly resources: readonly { readonly resource: string; readonly responseKind: { readonly kind: string } }[];
}

const kinds = Object.entries(discovery as unknown as Record<string, readonly Version[]>).flatMap(([group, versions]) =>
  versions.flatMap(({ version, resources }) =>
    resources.map(({ responseKind }) => [group === '' ? version : `${group}/${version}`, responseKind.kind] as const),
  ),
);

describe('the schema of a built-in kind', () => {
  it.each(kinds)('%s %s can be read and resolved', (apiVersion, kind) => {
    expect(resolveSchema(apiVersion, kind)?.type).toBe('object');
    expect(JSON.stringify(resolveSchema(apiVersion, kind))).not.toContain('#/components');
    expect(decodeBuiltIn(apiVersion, kind, { apiVersion, kind })?.error).toBeUndefined();
  });

  it('is found by group and kind, and common kinds in every group', () => {
    expect(schemaNameOf('apps/v1', 'Deployment')).toBe('io.k8s.api.apps.v1.Deployment');
    expect(schemaNameOf('apps/v1', 'DeleteOptions')).toBe('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');
    expect(schemaNameOf('apps/v9', 'Deployment')).toBeUndefined();
    expect(resolveSchema('kubevirt.io/v1', 'VirtualMachine')).toBeUndefined();
    expect(builtInStructural('kubevirt.io/v1', 'VirtualMachine')).toBeUndefined();
  });

  it('sets the defaults that it documents, except zero values', () => {
    const pod = { metadata: { name: 'x' }, spec: { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] } };
    applyBuiltInDefaults('v1', 'Pod', pod);
    expect(pod).toEqual({
      metadata: { name: 'x' },
      spec: { containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
    });
    const controller = { spec: {} };
    applyBuiltInDefaults('v1', 'ReplicationController', controller);
    expect(controller).toEqual({ spec: { replicas: 1 } });
    applyBuiltInDefaults('kubevirt.io/v1', 'VirtualMachine', controller);
  });

  it('checks required fields and enums', () => {
    const pod = { metadata: { name: 'x' }, spec: { containers: [{ image: 'b' }], restartPolicy: 'Foo' } };
    const causes = builtInStructural('v1', 'Pod')
      ?.validate(pod)
      .map(({ type, field }) => [type, field]);
    expect(causes).toEqual([
      ['Required', 'spec.containers[0].name'],
      ['NotSupported', 'spec.restartPolicy'],
    ]);
  });

  it('prunes unknown fields, except in the schemas of a CRD', () => {
    const definition = { spec: { extra: 1, versions: [{ schema: { openAPIV3Schema: { not: { anything: 1 } } } }] } };
    expect(builtInStructural('apiextensions.k8s.io/v1', 'CustomResourceDefinition')?.prune(definition)).toEqual([
      'spec.extra',
    ]);
    expect(definition.spec.versions).toEqual([{ schema: { openAPIV3Schema: { not: { anything: 1 } } } }]);
  });

  it('is created once', () => {
    expect(resolveSchema('v1', 'Pod')).toBe(resolveSchema('v1', 'Pod'));
    expect(builtInStructural('v1', 'Pod')).toBe(builtInStructural('v1', 'Pod'));
  });
});
