import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { WAIT } from '#testing/wait';
import { hasKubectl } from '../support/kubectl.ts';
import { onCluster } from '../support/on-cluster.ts';
import type { Target } from '../support/target.ts';

const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.27", ports: [{containerPort: 80}]}
`;
const POD = `
apiVersion: v1
kind: Pod
metadata: {name: one, labels: {app: one}}
spec: {containers: [{name: main, image: busybox, resources: {requests: {cpu: 100m, memory: 64Mi}}}]}
`;
const SHIRTS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shirts.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, singular: shirt, kind: Shirt, shortNames: [sh], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Size, type: string, jsonPath: .spec.size, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        description: A shirt.
        required: [spec]
        properties:
          spec:
            type: object
            description: What the shirt is like.
            required: [color]
            properties:
              color: {type: string, description: The color of the shirt., enum: [blue, red, green]}
              size: {type: string, default: M}
              count: {type: integer, minimum: 0, default: 1}
            x-kubernetes-validations:
            - {rule: "self.color != 'green' || self.size == 'M'", message: green comes in M only}
          status:
            type: object
            properties: {count: {type: integer}}
`;
const SHIRT = `
apiVersion: stable.example.com/v1
kind: Shirt
metadata: {name: mine}
spec: {color: blue}
`;

/** A command, its standard input, and text that its output must contain. `fails` checks stderr instead. */
interface Step {
  readonly run: string;
  readonly input?: string;
  readonly prints?: string | RegExp;
  readonly fails?: string | RegExp;
  /** The output may need some seconds, because kube-apiserver publishes schemas with a delay. */
  readonly soon?: true;
}

const STEPS: readonly Step[] = [
  { run: 'version', prints: 'Server Version: v1.36' },
  { run: 'get --raw /healthz', prints: /^ok$/ },
  { run: 'get --raw /readyz?verbose', prints: 'readyz check passed' },
  { run: 'api-versions', prints: /apps\/v1\n/ },
  { run: 'api-resources', prints: /configmaps\s+cm\s+v1\s+true\s+ConfigMap/ },
  { run: 'api-resources --namespaced=false -o name', prints: 'nodes\n' },
  { run: 'cluster-info', prints: 'Kubernetes control plane' },
  { run: 'get ns', prints: /default\s+Active/ },
  { run: 'create namespace shop', prints: 'namespace/shop created' },
  { run: 'create namespace shop', fails: 'namespaces "shop" already exists' },
  { run: 'auth can-i create pods', prints: 'yes' },
  { run: 'auth can-i create pods --as jane', fails: '' },
  { run: 'auth whoami', prints: 'system:masters' },
  {
    run: 'get pods --as jane',
    fails: 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
  },
  {
    run: 'create role reader --verb=get,list --resource=pods',
    prints: 'role.rbac.authorization.k8s.io/reader created',
  },
  {
    run: 'create rolebinding jane --role=reader --user=jane',
    prints: 'rolebinding.rbac.authorization.k8s.io/jane created',
  },
  { run: 'auth can-i list pods --as jane', prints: 'yes' },
  { run: 'create configmap settings --from-literal=a=1 --from-literal=b=2', prints: 'configmap/settings created' },
  { run: 'get cm settings -o jsonpath={.data.a}', prints: /^1$/ },
  { run: 'get configmap settings -o yaml', prints: /data:\n {2}a: "1"\n {2}b: "2"/ },
  { run: 'get cm settings -o custom-columns=NAME:.metadata.name,A:.data.a', prints: /NAME\s+A\nsettings\s+1/ },
  { run: 'patch cm settings --type merge -p {"data":{"c":"3"}}', prints: 'configmap/settings patched' },
  { run: 'patch cm settings --type json -p [{"op":"remove","path":"/data/b"}]', prints: 'configmap/settings patched' },
  { run: 'patch cm settings --type strategic -p {"data":{"d":"4"}}', prints: 'configmap/settings patched' },
  {
    run: 'patch cm settings --type json -p [{"op":"test","path":"/data/a","value":"9"}]',
    fails: 'the server rejected our request due to an error in our request',
  },
  { run: 'get cm settings -o jsonpath={.data}', prints: '{"a":"1","c":"3","d":"4"}' },
  { run: 'label cm settings tier=front', prints: 'configmap/settings labeled' },
  { run: 'label cm settings tier=back', fails: 'already has a value (front), and --overwrite is false' },
  { run: 'annotate cm settings note=hello', prints: 'configmap/settings annotated' },
  { run: 'get cm -l tier=front -o name', prints: /^configmap\/settings\n$/ },
  { run: 'get cm -l tier!=front,app -o name', prints: /^$/ },
  { run: 'get cm --field-selector metadata.name=settings -o name', prints: /^configmap\/settings\n$/ },
  { run: 'get cm --field-selector data.a=1', fails: 'is not a known field selector' },
  { run: 'get cm -l a=b=c', fails: "found '='" },
  { run: 'describe cm settings', prints: /Annotations:\s+note: hello/ },
  { run: 'edit cm settings', prints: 'configmap/settings edited' },
  { run: 'get cm settings -o jsonpath={.data.a}', prints: /^edited$/ },
  { run: 'apply -f -', input: WEB, prints: 'deployment.apps/web created' },
  { run: 'apply -f -', input: WEB, prints: 'deployment.apps/web unchanged' },
  { run: 'diff -f -', input: WEB, prints: /^$/ },
  { run: 'apply -f -', input: WEB.replace('1.27', '1.28'), prints: 'deployment.apps/web configured' },
  {
    run: 'get deploy web -o jsonpath={.spec.template.spec.containers[0].image}/{.metadata.generation}',
    prints: /nginx:1\.28\/[2-9]/,
  },
  { run: 'get deploy -o wide', prints: /web\s+\d\/2.*nginx:1\.28\s+app=web/ },
  { run: 'scale deploy web --replicas=3', prints: 'deployment.apps/web scaled' },
  { run: 'get deploy web -o jsonpath={.spec.replicas}', prints: /^3$/ },
  { run: 'explain deployment.spec.replicas', prints: /FIELD: replicas <integer>/ },
  { run: 'explain shirts', fails: "the server doesn't have a resource type" },
  { run: 'apply --server-side --field-manager=ops -f -', input: POD, prints: 'pod/one serverside-applied' },
  { run: 'apply --server-side --field-manager=ops -f -', input: POD, prints: 'pod/one serverside-applied' },
  {
    run: 'apply --server-side --field-manager=dev -f -',
    input: POD.replace('busybox', 'alpine'),
    fails: /conflict with "ops"[^]*\.spec\.containers\[name="main"\]\.image/,
  },
  {
    run: 'apply --server-side --force-conflicts --field-manager=dev -f -',
    input: POD.replace('busybox', 'alpine'),
    prints: 'pod/one serverside-applied',
  },
  { run: 'get pod one -o wide', prints: /one\s+0\/1\s+Pending/ },
  { run: 'get pods --field-selector status.phase=Pending -o name', prints: 'pod/one' },
  {
    run: 'create -f -',
    input: POD.replace('name: one', 'name: two').replace('image: busybox', 'imagine: busybox'),
    fails: 'unknown field "spec.containers[0].imagine"',
  },
  {
    run: 'create -f -',
    input: POD.replace('name: one', 'name: Two_'),
    fails: 'a lowercase RFC 1123 subdomain must consist of',
  },
  {
    run: 'apply -f - --dry-run=server',
    input: POD.replace('name: one', 'name: dry'),
    prints: 'pod/dry created (server dry run)',
  },
  { run: 'get pod dry', fails: 'pods "dry" not found' },
  { run: 'wait --for=jsonpath={.status.phase}=Pending pod/one --timeout=60s', prints: 'pod/one condition met' },
  {
    run: 'apply -f -',
    input: SHIRTS,
    prints: 'customresourcedefinition.apiextensions.k8s.io/shirts.stable.example.com created',
  },
  { run: 'wait --for=condition=Established crd/shirts.stable.example.com --timeout=60s', prints: 'condition met' },
  { run: 'explain shirt.spec.color', prints: 'The color of the shirt.', soon: true },
  { run: 'apply -f -', input: SHIRT, prints: 'shirt.stable.example.com/mine created' },
  { run: 'get sh', prints: /NAME\s+COLOR\nmine\s+blue/ },
  { run: 'get shirts -o wide', prints: /NAME\s+COLOR\s+SIZE\nmine\s+blue\s+M/ },
  {
    run: 'apply -f -',
    input: SHIRT.replace('blue', 'pink'),
    fails: 'spec.color: Unsupported value: "pink": supported values: "blue", "red", "green"',
  },
  { run: 'patch shirt mine --type merge -p {"spec":{"color":"green","size":"L"}}', fails: 'green comes in M only' },
  {
    run: 'patch shirt mine --subresource=status --type merge -p {"status":{"count":1}}',
    prints: 'shirt.stable.example.com/mine patched',
  },
  { run: 'scale shirt mine --replicas=4', prints: 'scaled' },
  { run: 'get shirt mine -o jsonpath={.spec.count}/{.status.count}/{.metadata.generation}', prints: '4/1/2' },
  {
    run: 'create -f -',
    input: SHIRT.replace('mine', 'odd').replace('color:', 'colour: x, color:'),
    fails: 'unknown field "spec.colour"',
  },
  { run: 'delete shirt mine', prints: 'shirt.stable.example.com "mine" deleted' },
  { run: 'delete crd shirts.stable.example.com', prints: 'deleted' },
  { run: 'get shirts', fails: /the server (doesn't have a resource type|could not find the requested resource)/ },
  { run: 'create serviceaccount robot', prints: 'serviceaccount/robot created' },
  { run: 'create token robot', prints: /^ey/ },
  { run: 'create secret generic key --from-literal=k=v', prints: 'secret/key created' },
  { run: 'get secret key -o jsonpath={.data.k}', prints: /^dg==$/ },
  { run: 'create service clusterip front --tcp=80:8080', prints: 'service/front created' },
  { run: 'get svc front', prints: /front\s+ClusterIP\s+10\.96\.\d+\.\d+\s+<none>\s+80\/TCP/ },
  {
    run: 'create -f -',
    input: 'apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n',
    prints: 'node/node-1 created',
  },
  { run: 'cordon node-1', prints: 'node/node-1 cordoned' },
  { run: 'get node node-1', prints: /SchedulingDisabled/ },
  { run: 'drain node-1 --force --ignore-daemonsets', prints: 'node/node-1 drained' },
  { run: 'uncordon node-1', prints: 'node/node-1 uncordoned' },
  { run: 'taint node node-1 key=value:NoSchedule', prints: 'node/node-1 tainted' },
  { run: 'get events', prints: '' },
  { run: 'delete deploy web --cascade=orphan', prints: 'deployment.apps "web" deleted' },
  { run: 'delete pod one --cascade=foreground --grace-period=0 --force', prints: 'pod "one" force deleted' },
  { run: 'delete cm settings --cascade=background', prints: 'configmap "settings" deleted' },
  { run: 'get cm settings', fails: 'Error from server (NotFound): configmaps "settings" not found' },
  { run: 'create configmap left -n shop', prints: 'configmap/left created' },
  { run: 'delete ns shop --timeout=60s', prints: 'namespace "shop" deleted' },
  { run: 'get cm left -n shop', fails: 'not found' },
  { run: 'get nothings', fails: 'the server doesn\'t have a resource type "nothings"' },
];

/** Common tasks with kubectl, on any API server with the controllers of Kubernetes and no node. */
export function kubectlJourney({
  name,
  start,
}: {
  readonly name: string;
  readonly start: () => Promise<Target>;
}): void {
  describe.skipIf(!hasKubectl())(`kubectl on ${name}`, () => journey(start));
}

function journey(start: () => Promise<Target>): void {
  const cluster = onCluster(start);

  /** Acts as the editor of `kubectl edit`. */
  function editor(): NodeJS.ProcessEnv {
    const script = join(cluster.target.folder, 'editor.sh');
    writeFileSync(script, '#!/bin/sh\nsed -i \'s/a: "1"/a: edited/\' "$1"\n');
    chmodSync(script, 0o755);
    return { KUBE_EDITOR: script };
  }

  it.each(STEPS.map((step, i) => ({ ...step, title: `${i + 1}. ${step.run}` })))(
    '$title',
    async ({ soon, ...step }) => {
      if (soon === true) await vi.waitFor(() => make(step), { ...WAIT, interval: 500 });
      else await make(step);
    },
  );

  async function make({ run, input, prints, fails }: Step): Promise<void> {
    const { code, out, err } = await cluster.kubectl.run(run.split(' '), input ?? '', editor());
    if (fails !== undefined) {
      expect({ code, err }).toEqual({ code: 1, err: holding(fails) });
    } else {
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      expect(out).toEqual(holding(prints ?? ''));
    }
  }

  it('runs at least 60 steps', () => {
    expect(STEPS.length).toBeGreaterThanOrEqual(60);
  });

  it('watches changes', async () => {
    const watch = cluster.kubectl.follow(['get', 'cm', '-w', '--no-headers', '-l', 'watched=yes']);
    await cluster.kubectl.run(
      ['create', '-f', '-'],
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seen, labels: {watched: "yes"}}\n',
    );
    await vi.waitFor(() => expect(watch.lines()).toHaveLength(1), WAIT);
    await cluster.kubectl.run(['delete', 'cm', 'seen']);
    await vi.waitFor(() => expect(watch.lines()).toHaveLength(2), WAIT);
    await watch.stop();
  });
}

const holding = (what: string | RegExp): unknown =>
  typeof what === 'string' ? expect.stringContaining(what) : expect.stringMatching(what);
