import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { VMTemplate } from '#api/hypersdk/vm-template';
import { cloneVmSpec } from './clone-vm-spec.ts';

const vm = (templateRef: object) =>
  ({
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      cpus: 2,
      memory: '4Gi',
      running: true,
      image: { templateRef },
      networks: [{ name: 'net', type: 'pod-network', macAddress: '02:00:00:00:00:01' }],
    },
  }) as unknown as VirtualMachine;

const template = (annotations: object, namespace = 'default') =>
  ({
    metadata: { name: 'debian', namespace, annotations },
    spec: { displayName: 'Debian', image: { source: 'debian:12' }, defaultSpec: { labels: { os: 'debian' } } },
  }) as unknown as VMTemplate;

const copied = (namespace: string, from: VMTemplate | 'missing', templateRef: object = { name: 'debian' }) =>
  cloneVmSpec(vm(templateRef), {
    name: 'copy',
    namespace,
    start: false,
    claims: new Map(),
    dependencies: { template: from },
  });

describe('a clone of a VM from a template', () => {
  it('refers to the same template, without its MAC address', () => {
    expect(copied('default', template({}))).toMatchObject({
      running: false,
      image: { templateRef: { name: 'debian' } },
      networks: [{ name: 'net', type: 'pod-network' }],
    });
    expect(JSON.stringify(copied('default', template({})))).not.toContain('macAddress');
  });

  it('names the namespace of the template if it allows the one of the clone', () => {
    const shared = template({ 'vimana.io/machines-from': 'team-b' });
    expect(copied('team-b', shared)).toMatchObject({
      image: { templateRef: { name: 'debian', namespace: 'default' } },
    });
    const library = template({ 'vimana.io/machines-from': '*' }, 'images');
    expect(copied('team-b', library, { name: 'debian', namespace: 'images' })).toMatchObject({
      image: { templateRef: { name: 'debian', namespace: 'images' } },
    });
  });

  it('contains the fields of a template that its namespace may not use', () => {
    const found = copied('team-b', template({}));
    expect(found).toMatchObject({ image: { source: 'debian:12' }, labels: { os: 'debian' }, running: false });
    expect(found).not.toHaveProperty('image.templateRef');
    expect(JSON.stringify(found)).not.toContain('macAddress');
  });

  it('refers to a missing template, as the VM does', () => {
    expect(copied('team-b', 'missing')).toMatchObject({
      image: { templateRef: { name: 'debian', namespace: 'default' } },
    });
  });
});
