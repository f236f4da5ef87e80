import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import type { Client, ResourceType, WatchOptions } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';

/** Faults of the connection to the API server. Each is the probability for one request, or one event of a watch. */
export interface Faults {
  /** The request never arrives. */
  refuse: number;
  /** The request is carried out, but its response is lost. */
  lose: number;
  /** Maximum delay of the request. */
  slow: number;
  slowestMs: number;
  /** The watch breaks off. */
  drop: number;
  /** The resource version of the watch expires, so that everything must be listed again. */
  expire: number;
}

export const NO_FAULTS: Faults = { refuse: 0, lose: 0, slow: 0, slowestMs: 0, drop: 0, expire: 0 };

/** Returns a client whose requests and watches fail at random, according to `faults`. */
export function faultyClient(client: Client, faults: Readonly<Faults>, random: Random, clock: Clock): Client {
  const chance = (rate: number) => rate > 0 && random.next() < rate;
  const through = async <T>(run: () => Promise<T>): Promise<T> => {
    if (chance(faults.slow)) await clock.sleep(random.int(1, Math.max(1, faults.slowestMs)));
    if (chance(faults.refuse)) throw new KubeError(503, 'ServiceUnavailable', 'a fault on the way there');
    const lost = chance(faults.lose);
    const response = await run();
    if (lost) throw new KubeError(504, 'Timeout', 'a fault on the way back');
    return response;
  };
  async function* events<T extends KubeObject>(type: ResourceType<T>, options?: WatchOptions) {
    if (chance(faults.refuse)) throw new KubeError(503, 'ServiceUnavailable', 'a fault on the way there');
    for await (const event of client.watch(type, options)) {
      if (chance(faults.slow)) await clock.sleep(random.int(1, Math.max(1, faults.slowestMs)), options?.signal);
      yield event;
      if (chance(faults.expire)) throw new KubeError(410, 'Expired', 'a fault: the place of the watch is forgotten');
      if (chance(faults.drop)) return;
    }
  }
  return {
    get: (...args) => through(() => client.get(...args)),
    list: (...args) => through(() => client.list(...args)),
    watch: (type, options) => events(type, options),
    create: (...args) => through(() => client.create(...args)),
    update: (...args) => through(() => client.update(...args)),
    patch: (...args) => through(() => client.patch(...args)),
    apply: (...args) => through(() => client.apply(...args)),
    delete: (...args) => through(() => client.delete(...args)),
    deleteCollection: (...args) => through(() => client.deleteCollection(...args)),
    act: (...args) => through(() => client.act(...args)),
    raw: (...args) => through(() => client.raw(...args)),
    request: (...args) => through(() => client.request(...args)),
  };
}
