import { VMS } from '#api/kubevirt/resources';
import { realClock } from '#platform/base/clock';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { startPlayground } from '#programs/playground';

/** Observations of a VM in a page, from its creation to its deletion. All are text, so that they can leave the page. */
export interface JourneyResult {
  readonly readyNodes: readonly string[];
  readonly vmStatus: string;
  /** Pods while the VM runs, with the node and the phase of each. */
  readonly pods: readonly string[];
  readonly podsLeft: number;
  readonly openApiPaths: number;
  /** Message of a rejected object. */
  readonly rejection: string;
}

const POOL = { name: 'node', prefix: 'node-', count: 3, size: { cpu: '8', memory: '32Gi', pods: '110' } };
const NAMESPACE = 'default';
const VM = {
  metadata: { name: 'web', namespace: NAMESPACE },
  spec: {
    runStrategy: 'Always' as const,
    template: { spec: { domain: { cpu: { cores: 2 }, memory: { guest: '2Gi' }, devices: {} } } },
  },
};

/** Creates nodes and a VM, waits until it runs, and deletes it. */
export async function runJourney(): Promise<JourneyResult> {
  const cluster = await startPlayground({
    dialects: ['kubevirt', 'hypersdk', 'novacron', 'simulation'],
    pools: [POOL],
  });
  const { admin } = cluster;
  try {
    const readyNodes = await waitFor(async () => {
      const { items } = await admin.list(NODES);
      const ready = items.filter(({ status }) =>
        status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
      );
      return ready.length === POOL.count ? ready.map(({ metadata }) => metadata.name ?? '') : undefined;
    });
    await admin.create(VMS, VM, { namespace: NAMESPACE });
    const vmStatus = await waitFor(async () => {
      const { status } = await admin.get(VMS, VM.metadata.name, { namespace: NAMESPACE });
      return status?.printableStatus === 'Running' ? status.printableStatus : undefined;
    });
    const { items } = await admin.list(PODS, { namespace: NAMESPACE });
    const pods = items.map(({ spec, status }) => `${spec.nodeName} ${status?.phase}`);
    const { paths } = JSON.parse(await admin.raw('/openapi/v3')) as { readonly paths: object };
    const rejection = await admin.create(VMS, { ...VM, spec: {} }, { namespace: NAMESPACE }).then(
      () => '',
      (error: Error) => error.message,
    );
    await admin.delete(VMS, VM.metadata.name, { namespace: NAMESPACE });
    const podsLeft = await waitFor(async () => {
      const vm = await ignoreNotFound(admin.get(VMS, VM.metadata.name, { namespace: NAMESPACE }));
      const left = await admin.list(PODS, { namespace: NAMESPACE });
      return vm === undefined && left.items.length === 0 ? left.items.length : undefined;
    });
    return { readyNodes, vmStatus, pods, podsLeft, openApiPaths: Object.keys(paths).length, rejection };
  } finally {
    await cluster.stop();
  }
}

const MAX_WAIT_MS = 60_000;

async function waitFor<T>(read: () => Promise<T | undefined>): Promise<T> {
  const end = realClock.monotonic() + MAX_WAIT_MS;
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    if (realClock.monotonic() > end) throw new Error(`did not come true: ${read.toString()}`);
    await realClock.sleep(20);
  }
}
