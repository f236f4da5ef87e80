import { VM_POOLS } from '#api/novacron/resources';
import type { Clock } from '#platform/base/clock';
import type { Client, RequestOptions } from '#platform/kube/client';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import type { AccessFlags } from '#platform/kube/kubeconfig/load';
import type { Connect, KubeconfigNames } from '../connection.ts';
import { SNAPSHOTS } from '../snapshot/command.ts';
import { TEMPLATES } from '../template/command.ts';
import { summaryOf } from '../vm/summary.ts';
import { vmTypes } from '../vm/vm-kinds.ts';
import type { Candidate, LookUp, StoredResource } from './candidates.ts';

export interface LookUpDeps {
  readonly connect: Connect;
  readonly kubeconfigNames: KubeconfigNames;
  readonly clock: Clock;
}

/** The user is waiting at the prompt, so names that take longer are left out. */
const TIMEOUT_MS = 2000;

/**
 * Looks up names in the cluster and the kubeconfig that the flags of the line choose. Returns none if they do not
 * arrive in time.
 */
export function lookUpIn({ connect, kubeconfigNames, clock }: LookUpDeps): LookUp {
  return async (what, { flags }) => {
    const access = accessOf(flags);
    const over = new AbortController();
    const expired = Promise.withResolvers<readonly Candidate[]>();
    const timer = clock.timer(TIMEOUT_MS, () => {
      over.abort();
      expired.resolve([]);
    });
    const found = async () => {
      if (what === 'context' || what === 'cluster' || what === 'user')
        return toCandidates(await kubeconfigNames(access, what));
      const connection = await connect(access);
      try {
        return await fromCluster(connection.client, what, connection.namespace, flags.get('group'), {
          signal: over.signal,
        });
      } finally {
        await connection.close();
      }
    };
    try {
      return await Promise.race([found().catch(() => []), expired.promise]);
    } finally {
      timer.cancel();
    }
  };
}

const toCandidates = (names: readonly string[]): Candidate[] => names.map((value) => ({ value }));

async function fromCluster(
  client: Client,
  what: StoredResource,
  namespace: string,
  group: string | undefined,
  options: RequestOptions,
): Promise<Candidate[]> {
  if (what === 'namespaces') return namesIn(await client.list(NAMESPACES, options));
  if (what === 'nodes') return namesIn(await client.list(NODES, options));
  if (what === 'snapshots') return namesIn(await client.list(SNAPSHOTS.type, { ...options, namespace }));
  if (what === 'templates') return namesIn(await client.list(TEMPLATES.type, { ...options, namespace }));
  if (what === 'pools') return namesIn(await client.list(VM_POOLS, { ...options, namespace }));
  if (what === 'pods') return namesIn(await client.list(PODS, { ...options, namespace }));
  const types = await vmTypes(client, group);
  const lists = await Promise.all(types.map((type) => client.list(type, { ...options, namespace })));
  return lists
    .flatMap(({ items }) => items)
    .map((machine) => ({ value: machine.metadata.name ?? '', about: summaryOf(machine, undefined).status }));
}

const namesIn = ({ items }: { readonly items: readonly { readonly metadata: { readonly name?: string } }[] }) =>
  items.map(({ metadata }) => ({ value: metadata.name ?? '' }));

function accessOf(flags: ReadonlyMap<string, string>): AccessFlags {
  const names = ['kubeconfig', 'context', 'cluster', 'user', 'server', 'token', 'as', 'namespace'] as const;
  const given = names.flatMap((name) => (flags.has(name) ? [[name, flags.get(name) ?? ''] as const] : []));
  return {
    ...Object.fromEntries(given),
    ...(flags.has('insecureSkipTlsVerify') ? { insecureSkipTlsVerify: true } : {}),
  };
}
