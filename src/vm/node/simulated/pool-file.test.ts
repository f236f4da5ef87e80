import { describe, expect, it } from 'vitest';
import { readManifest } from '#platform/kube/manifest';
import { kwokManifests } from './kwok/manifests.ts';
import { parseNodeSize } from './node-size.ts';
import { readPools } from './pool-file.ts';

describe('the size of a node', () => {
  it.each([
    ['32cpu,128Gi', { cpu: '32', memory: '128Gi', pods: '110' }],
    ['256Gi,64cpu', { cpu: '64', memory: '256Gi', pods: '110' }],
    ['500mcpu, 2G', { cpu: '500m', memory: '2G', pods: '110' }],
    ['8cores,16Gi,pods=250,nvidia.com/gpu=2', { cpu: '8', memory: '16Gi', pods: '250', 'nvidia.com/gpu': '2' }],
  ])('is parsed from %s', (text, size) => {
    expect(parseNodeSize(text)).toEqual({ 'ephemeral-storage': '1Ti', ...size });
  });

  it.each(['', '32', 'big', '32cpu,128', '0cpu,1Gi', '32cpu,16cpu', '-1cpu', 'pods='])('is rejected: %j', (text) => {
    expect(() => parseNodeSize(text)).toThrow(/valid node size|twice/);
  });
});

describe('a file of node pools', () => {
  it('defines all of them', () => {
    const text = `
pools:
- count: 3
- name: gpu
  count: 2
  size: 64cpu,256Gi
  prefix: gpu-node-
  zones: [a, b]
  labels: {example.com/gpu: "true"}
  annotations: {note: hello}
  taints: [{key: example.com/gpu, value: "true", effect: NoSchedule}]
  resources: {nvidia.com/gpu: 8}
`;
    expect(readPools(text)).toEqual([
      { count: 3 },
      {
        name: 'gpu',
        count: 2,
        size: parseNodeSize('64cpu,256Gi'),
        prefix: 'gpu-node-',
        zones: ['a', 'b'],
        labels: { 'example.com/gpu': 'true' },
        annotations: { note: 'hello' },
        taints: [{ key: 'example.com/gpu', value: 'true', effect: 'NoSchedule' }],
        resources: { 'nvidia.com/gpu': '8' },
      },
    ]);
  });

  it('reports all errors, each with its path', () => {
    const text = `
pool: 1
pools:
- size: large
  zone: a
  labels: {"-": x, ok: 1}
  taints: [{key: a, effect: Never, why: x}]
  resources: {gpu: many}
- count: -1
  prefix: UPPER
- 7
`;
    const problems = (() => {
      try {
        readPools(text);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(problems.split('\n').map((line) => line.slice(0, line.indexOf(': ')))).toEqual([
      'pool',
      'pools[0].count',
      'pools[0].size',
      'pools[0].zone',
      'pools[0].labels[ok]',
      'pools[0].labels[-]',
      'pools[0].taints[0].effect',
      'pools[0].taints[0].why',
      'pools[0].resources[gpu]',
      'pools[1].count',
      'pools[1].prefix',
      'pools[2]',
      'pools[1].name',
      'pools[2].name',
    ]);
  });

  it.each([
    ['resources: {cpu: 4}', ['pools[0].resources[cpu]']],
    [
      'size: 8cpu,16Gi\n  resources: {memory: 1Gi, pods: 5}',
      ['pools[0].resources[memory]', 'pools[0].resources[pods]'],
    ],
    ['size: "8cpu,16Gi,a/b=1"\n  resources: {a/b: 2, c/d: 3}', ['pools[0].resources[a/b]']],
  ])('is rejected if it states the size of a node twice: %s', (text, paths) => {
    const rejected = () => readPools(`pools:\n- count: 1\n  ${text}\n`);
    for (const path of paths) expect(rejected).toThrow(`${path}: Invalid value`);
    expect(rejected).toThrow('is set by size');
  });

  it.each([
    ['', 'must be an object'],
    ['pools: []', 'at least one pool is required'],
    ['pools: [', 'line 1'],
    ['a: 1\na: 2', 'unique'],
  ])('is rejected: %j', (text, why) => {
    expect(() => readPools(text)).toThrow(why);
  });
});

describe('manifests for KWOK', () => {
  const { documents, problems } = readManifest(kwokManifests([{ count: 2, resources: { 'nvidia.com/gpu': '1' } }]));
  const objects = documents.map(({ object }) => object as { kind: string; metadata: { name: string } });

  it('are the nodes and their events', () => {
    expect(problems).toEqual([]);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Node kwok-node-1',
      'Node kwok-node-2',
      'Stage node-initialize',
      'Stage node-heartbeat-with-lease',
      'Stage pod-ready',
      'Stage pod-complete',
      'Stage pod-delete',
    ]);
  });

  it('mark nodes so that KWOK manages them, and VMs are scheduled to them', () => {
    expect(objects[0]).toMatchObject({
      metadata: {
        labels: { type: 'kwok', 'kubevirt.io/schedulable': 'true' },
        annotations: { 'kwok.x-k8s.io/node': 'fake' },
      },
      status: { capacity: { cpu: '32', 'nvidia.com/gpu': '1' } },
    });
    expect(objects[0]).not.toHaveProperty('status.conditions');
  });

  it('have templates in which every block is closed', () => {
    const templates = JSON.stringify(objects).match(/\{\{[^}]*\}\}/g) ?? [];
    const opened = templates.filter((each) => /^\{\{ (range|if|with) /.test(each)).length;
    const closed = templates.filter((each) => each === '{{ end }}').length;
    expect(opened).toBeGreaterThan(5);
    expect(closed).toBe(opened);
  });
});
