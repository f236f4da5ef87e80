import { GROUPS } from '#api/groups';
import type { Advise } from '#control-plane/apiserver/http/resource-handler';
import type { Clock } from '#platform/base/clock';
import { parseDuration } from '#platform/base/duration';
import type { CustomResourceDefinition } from '#platform/kube/kinds/custom-resource-definition';
import { groupsNamedVm } from '#programs/cli/vm-short-name';

/** Change of what the short name `vm` means. */
export interface MovedShortName {
  readonly before: string;
  readonly now: string;
  /** Time of the change, in milliseconds. */
  readonly since: number;
  /** Whether this start made the change. */
  readonly isNew: boolean;
}

const BEFORE = 'vimana.io/vm-short-name-before';
const SINCE = 'vimana.io/vm-short-name-since';

/** Time for which kubectl caches the meaning of short names. */
const CACHED_MS = parseDuration('6h');
const MAX_CLIENTS = 1_000;
const DEFAULT_GROUP = GROUPS.kubevirt;

/**
 * Returns the last change of what `vm` means, if a kubectl may still have cached its earlier meaning. The definition of
 * the group that has the name records it, so that a restart does not forget it.
 */
export function movedShortName(
  definitions: readonly CustomResourceDefinition[],
  now: string,
  at: number,
): MovedShortName | undefined {
  // A new server may follow another one at the same address, where `vm` most likely had its default meaning.
  if (definitions.length === 0 && now !== DEFAULT_GROUP) return { before: DEFAULT_GROUP, now, since: at, isNew: false };
  const [meant = now] = groupsNamedVm(definitions);
  if (meant !== now) return { before: meant, now, since: at, isNew: true };
  const owner = definitions.find(({ metadata }) => metadata.name === `virtualmachines.${now}`);
  const { [BEFORE]: before = now, [SINCE]: recorded = '' } = owner?.metadata.annotations ?? {};
  const since = Date.parse(recorded);
  return before !== now && at - since < CACHED_MS ? { before, now, since, isNew: false } : undefined;
}

/** Records a change in the definition of the group that has the name now. */
export function withMovedShortName(
  definition: CustomResourceDefinition,
  moved: MovedShortName | undefined,
): CustomResourceDefinition {
  const { metadata } = definition;
  if (moved === undefined || metadata.name !== `virtualmachines.${moved.now}`) return definition;
  const recorded = { [BEFORE]: moved.before, [SINCE]: new Date(moved.since).toISOString() };
  return { ...definition, metadata: { ...metadata, annotations: { ...metadata.annotations, ...recorded } } };
}

/** Warns each kubectl once that reads VMs of the group that `vm` meant before, since it may have cached that. */
export class ShortNameAdvice {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #told = new Set<string>();
  /** Set once the start has found that the name has moved. */
  moved: MovedShortName | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  readonly advise: Advise = (request, { group, plural }) => {
    const { moved } = this;
    if (moved === undefined || group !== moved.before || plural !== 'virtualmachines') return undefined;
    const agent = request.header('user-agent') ?? '';
    const client = `${request.user.name} ${agent}`;
    if (!agent.startsWith('kubectl/') || this.#told.has(client) || this.#told.size >= MAX_CLIENTS) return undefined;
    if (this.#clock.now() - moved.since >= CACHED_MS) return undefined;
    this.#told.add(client);
    return `vm now means virtualmachines.${moved.now}. If you typed vm, kubectl has cached its earlier meaning, ${moved.before}: run kubectl api-resources once.`;
  };
}

export function formatMoved({ before, now }: MovedShortName): string {
  return `vm now means VMs of ${now}, no longer of ${before} (kubectl get virtualmachines.${before}). Elsewhere, kubectl may have cached the earlier meaning: run kubectl api-resources there once.`;
}
