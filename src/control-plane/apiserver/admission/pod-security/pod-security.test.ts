import { describe, expect, test } from 'vitest';
import { type Cluster, testCluster } from '../chain.fixture.ts';

const PREFIX = 'pod-security.kubernetes.io/';

async function labelled(labels: Readonly<Record<string, string>>, given?: Cluster): Promise<Cluster> {
  const cluster = given ?? (await testCluster());
  const full = Object.fromEntries(Object.entries(labels).map(([mode, value]) => [PREFIX + mode, value]));
  await cluster.patch('namespaces/x', { metadata: { labels: full } });
  return cluster;
}

const GOOD = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};
const container = (context: object = {}, more: object = {}) => ({
  name: 'c',
  image: 'i',
  securityContext: { ...GOOD, ...context },
  ...more,
});
const plain = (name: string) => ({ name, image: 'i' });
const pod = (spec: object) => ({ metadata: { name: 'a' }, spec: { containers: [container()], ...spec } });

test.each<[level: string, violation: string | undefined, spec: object]>([
  ['restricted', undefined, {}],
  [
    'restricted',
    'allowPrivilegeEscalation != false (containers "e", "c", "d" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers "e", "c", "d" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or containers "e", "c", "d" must set securityContext.runAsNonRoot=true), seccompProfile (pod or containers "e", "c", "d" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    { containers: [plain('c'), plain('d')], initContainers: [plain('e')] },
  ],
  ['baseline', undefined, { containers: [plain('c')] }],
  [
    'baseline',
    'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
    { hostNetwork: true, hostPID: true, hostIPC: true },
  ],
  [
    'baseline',
    'non-default capabilities (container "c" must not include "NET_ADMIN" in securityContext.capabilities.add), hostPath volumes (volume "h"), seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    {
      containers: [container({ capabilities: { add: ['NET_ADMIN', 'KILL'] }, seccompProfile: { type: 'Unconfined' } })],
      volumes: [{ name: 'h', hostPath: { path: '/x' } }],
    },
  ],
  [
    'restricted',
    'restricted volume types (volumes "h", "n", "h2" use restricted volume types "hostPath", "nfs")',
    {
      volumes: [
        { name: 'h', hostPath: { path: '/x' } },
        { name: 'n', nfs: { server: 's', path: '/p' } },
        { name: 'h2', hostPath: { path: '/y' } },
        { name: 'e', emptyDir: {} },
      ],
    },
  ],
  [
    'restricted',
    'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: types "x", "y"; user may not be set; role may not be set)',
    {
      containers: [container({ seLinuxOptions: { type: 'x', user: 'u', role: 'r' } })],
      securityContext: { seLinuxOptions: { type: 'y' } },
    },
  ],
  [
    'restricted',
    'forbidden sysctls (kernel.msgmax, net.core.x)',
    {
      securityContext: {
        sysctls: [
          { name: 'kernel.msgmax', value: '1' },
          { name: 'net.ipv4.tcp_rmem', value: '1' },
          { name: 'net.core.x', value: '1' },
        ],
      },
    },
  ],
  [
    'restricted',
    'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod must not set runAsUser=0), seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    { securityContext: { runAsNonRoot: false, runAsUser: 0, seccompProfile: { type: 'Unconfined' } } },
  ],
  [
    'restricted',
    'hostPort (containers "i", "c" use hostPorts 8080, 8081, 9)',
    {
      containers: [
        container(
          {},
          {
            ports: [
              { containerPort: 1, hostPort: 8080 },
              { containerPort: 2, hostPort: 8081 },
            ],
          },
        ),
      ],
      initContainers: [container({}, { name: 'i', ports: [{ containerPort: 1, hostPort: 9 }] })],
    },
  ],
  [
    'restricted',
    'probe or lifecycle host (container "c" uses probe or lifecycle hosts "1.1.1.1", "127.0.0.1")',
    {
      containers: [
        container(
          {},
          {
            livenessProbe: { httpGet: { port: 80, host: '127.0.0.1' } },
            readinessProbe: { tcpSocket: { port: 80, host: '1.1.1.1' } },
          },
        ),
      ],
    },
  ],
  [
    'baseline',
    'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
    { containers: [container({ appArmorProfile: { type: 'Unconfined' } })] },
  ],
  ['restricted', 'runAsUser=0 (container "c" must not set runAsUser=0)', { containers: [container({ runAsUser: 0 })] }],
  ['restricted', undefined, { containers: [container({ runAsUser: 0 })], hostUsers: false }],
])('%s does not allow: %s', async (level, violation, spec) => {
  const cluster = await labelled({ enforce: level });
  const created = cluster.create('pods/x', pod(spec));
  if (violation === undefined) await expect(created).resolves.toBeDefined();
  else {
    const { code, message } = await cluster.refused(created);
    expect([code, message]).toEqual([
      403,
      `pods "a" is forbidden: violates PodSecurity "${level}:latest": ${violation}`,
    ]);
  }
});

describe('warnings', () => {
  const VIOLATION = 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)';

  test('report a pod that a level would reject', async () => {
    const cluster = await labelled({ warn: 'baseline' });
    await cluster.create('pods/x', pod({ hostPID: true }));
    expect(cluster.warnings).toContain(VIOLATION);
  });

  test('report a workload whose pods a level would reject, which is not rejected itself', async () => {
    const cluster = await labelled({ warn: 'baseline', enforce: 'restricted' });
    const template = { spec: { restartPolicy: 'Never', hostPID: true, containers: [plain('c')] } };
    await cluster.create('cronjobs.batch/x', {
      metadata: { name: 'd' },
      spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } },
    });
    expect(cluster.warnings).toContain(VIOLATION);
  });

  test('follow the older version of a level', async () => {
    const cluster = await labelled({ warn: 'restricted', 'warn-version': 'v1.20' });
    await cluster.create('pods/x', pod({ containers: [plain('c')] }));
    expect(cluster.warnings).toEqual([
      'would violate PodSecurity "restricted:v1.20": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ]);
  });

  test('list existing pods that violate the new level of a namespace', async () => {
    const cluster = await testCluster();
    for (const name of ['p1', 'p2']) {
      await cluster.create('pods/x', { metadata: { name }, spec: { containers: [plain('c')] } });
    }
    await labelled({ enforce: 'restricted' }, cluster);
    expect(cluster.warnings).toEqual([
      'existing pods in namespace "x" violate the new PodSecurity enforce level "restricted:latest"',
      'p1 (and 1 other pod): allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile',
    ]);
  });
});

test('labels with unknown levels or versions are rejected', async () => {
  const cluster = await testCluster();
  const { message } = await cluster.refused(labelled({ enforce: 'x', 'warn-version': 'y' }, cluster));
  expect(message).toBe(
    'Namespace "x" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "y": must be "latest" or "v1.x"]',
  );
});
