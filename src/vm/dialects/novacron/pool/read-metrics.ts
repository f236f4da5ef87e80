import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { NovacronVm, Pool } from '#api/novacron/resources';
import { PODS } from '#platform/kube/kinds/pod';
import { MetricsReader } from '#platform/runtime/autoscaling/metrics-reader';
import type { Measurements, PodMeasurement } from '#platform/runtime/autoscaling/replica-count';
import type { Context } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';
import type { VmUsage } from '#vm/engine/metrics';
import { type MetricReading, metricName, type PoolMetric } from './metric-reading.ts';
import { selectorOf } from './selector.ts';

/** Returns the usage of a running instance, or undefined if it is unknown. */
export type InstanceUsage = (instance: Vmi) => VmUsage | undefined;

const SUFFIX = '.novacron';
/** The oldest versions of the metrics APIs, which every server has. */
const NO_CATALOG = { ofKind: () => undefined, now: { resources: [], failed: new Map() } };

export const instanceOf = (vm: NovacronVm, { cache }: Pick<Context, 'cache'>): Vmi | undefined =>
  cache(VMIS).get(keyIn(vm.metadata.namespace, `${vm.metadata.name}${SUFFIX}`));

/** Reads all metrics of a pool. A metric that cannot be read is one of the results. */
export async function readMetrics(
  pool: Pool,
  vms: readonly NovacronVm[],
  usage: InstanceUsage | undefined,
  context: Context,
): Promise<MetricReading[]> {
  const { metrics = [] } = pool.spec.autoscaling ?? {};
  return await Promise.all(
    metrics.map(async (metric): Promise<MetricReading> => {
      const named = { metric, name: metricName(metric) };
      try {
        if (metric.type === 'custom') return { ...named, ...(await readCustom(pool, metric, context)) };
        return { ...named, kind: 'each', measurements: readUsage(metric.type, vms, usage, context) };
      } catch (error) {
        return { ...named, kind: 'failed', message: (error as Error).message };
      }
    }),
  );
}

function readUsage(
  type: 'cpu' | 'memory',
  vms: readonly NovacronVm[],
  usage: InstanceUsage | undefined,
  context: Context,
): Measurements {
  const at = context.clock.now();
  const found = vms.flatMap((vm): [string, PodMeasurement][] => {
    const instance = instanceOf(vm, context);
    const used = instance?.status?.phase === 'Running' ? usage?.(instance) : undefined;
    if (used === undefined) return [];
    const value = Math.ceil((type === 'cpu' ? used.cpuCores : used.memoryBytes) * 1000);
    return [[vm.metadata.name, { value, at, windowMs: 0 }]];
  });
  if (found.length === 0) throw new Error(`the ${type} usage of no VM is known`);
  return new Map(found);
}

type CustomReading =
  | { readonly kind: 'each'; readonly measurements: Measurements }
  | { readonly kind: 'total'; readonly value: number };

/** Reads a metric of the pods, or else a metric of something outside the cluster. */
async function readCustom(pool: Pool, { metric }: PoolMetric, context: Context): Promise<CustomReading> {
  const reader = new MetricsReader(context.client, NO_CATALOG, pool.metadata.namespace);
  const { name = '', selector } = metric ?? {};
  const identifier = { name, ...(selector === undefined ? {} : { selector }) };
  try {
    const measured = await reader.pods(identifier, selectorOf(pool).toString());
    return { kind: 'each', measurements: byVm(measured, pool, context) };
  } catch (error) {
    try {
      return { kind: 'total', value: await reader.external(identifier) };
    } catch {
      throw error;
    }
  }
}

/** Names the VMs that the measured pods run. */
function byVm(measured: Measurements, pool: Pool, { cache }: Context): Measurements {
  const { namespace } = pool.metadata;
  return new Map(
    [...measured].flatMap(([pod, value]) => {
      const owners = cache(PODS).get(keyIn(namespace, pod))?.metadata.ownerReferences ?? [];
      const owner = owners.find(({ controller, kind }) => controller === true && kind === VMIS.kind);
      return owner?.name.endsWith(SUFFIX) === true ? [[owner.name.slice(0, -SUFFIX.length), value]] : [];
    }),
  );
}
