import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import type { ResourceType } from '#platform/kube/client';
import { EVENTS } from '#platform/kube/kinds/event';
import { PODS } from '#platform/kube/kinds/pod';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '#programs/up/embedded';

export const namespace = 'default';
export const ROOT = { name: 'root', size: '20Gi' };

/** All components in one process, on a clock that is advanced by hand. */
export class World {
  readonly clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
  readonly log = createMemoryLogger(this.clock);
  #running!: Embedded;

  async start(options: Partial<EmbeddedOptions> = {}): Promise<void> {
    this.#running = await startEmbedded({
      store: 'memory',
      dialects: ['hypersdk'],
      pools: [{ name: 'n', prefix: 'n-', count: 3 }],
      clock: this.clock,
      random: seededRandom('machines of hypersdk.io'),
      log: this.log,
      ...options,
    });
    await this.advance(5000);
  }

  stop = () => this.#running.stop();
  advance = (ms: number) => this.clock.advance(ms);

  get admin() {
    return this.#running.admin;
  }

  async make(name: string, spec: object = {}, annotations: Record<string, string> = {}): Promise<void> {
    const metadata = { name, namespace, annotations };
    await this.admin.create(HYPERSDK_VMS, { metadata, spec: { cpus: 2, memory: '2Gi', ...spec } });
    await this.advance(3000);
  }

  edit = async (name: string, spec: object) => {
    await this.admin.patch(HYPERSDK_VMS, name, { type: 'merge', body: { spec } }, { namespace });
    await this.advance(3000);
  };

  vm = (name: string) => this.admin.get(HYPERSDK_VMS, name, { namespace });
  phase = async (name: string) => (await this.vm(name)).status?.phase;
  condition = async (name: string, type: string) =>
    (await this.vm(name)).status?.conditions?.find((each) => each.type === type);
  names = async (type: ResourceType) =>
    (await this.admin.list(type, { namespace })).items
      .map(({ metadata }) => metadata.name ?? '')
      .toSorted((a, b) => a.localeCompare(b));
  events = async (name: string) =>
    (await this.admin.list(EVENTS, { namespace })).items
      .filter(({ involvedObject }) => involvedObject.kind === 'VirtualMachine' && involvedObject.name === name)
      .map(({ reason, message }) => `${reason}: ${message}`);

  async evict(name: string): Promise<number> {
    const { items } = await this.admin.list(PODS, { namespace, labelSelector: `vm=${name}` });
    // The target pod of a pending migration does not count.
    const pod = items.find(({ spec }) => spec.nodeName !== undefined)?.metadata.name ?? '';
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
    return await this.admin.act(PODS, pod, 'eviction', body, { namespace }).then(
      () => 201,
      (error: { code?: number }) => error.code ?? 0,
    );
  }
}
