import type { Command } from 'commander';
import { humanDuration } from '#platform/base/duration';
import type { Client } from '#platform/kube/client';
import { resourceType } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';
import { withConnection } from '../connection.ts';
import { formatTable } from '../format-table.ts';
import type { VmDeps } from '../vm-deps.ts';
import { type FoundVm, findVm, instanceNameOf } from './find.ts';

export interface Event extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly uid?: string };
}

const EVENTS = resourceType<Event>('v1', 'Event', 'events');

/** Adds `vm events`, which lists the events of a VM, its instance and its pods in order. */
export function addEventsCommand(vm: Command, parts: VmDeps): void {
  vm.command('events')
    .description('show events of a VM, its instance and its pods')
    .argument('<name>')
    .action((name: string, _flags, command: Command) =>
      withConnection(parts.connect, command, async ({ client, namespace }) => {
        const { group } = command.optsWithGlobals<{ group?: string }>();
        const found = await findVm(client, name, namespace, group);
        const events = await eventsOf(client, found, namespace);
        if (events.length === 0) {
          parts.io.err(`No events found for ${name}.\n`);
          return;
        }
        const now = parts.clock.now();
        parts.io.out(
          formatTable(
            EVENT_HEADINGS,
            events.map((event) => eventRow(event, now)),
          ),
        );
      }),
    );
}

/** Returns the events of a VM, its instance and its pods in order. */
export async function eventsOf(client: Client, found: FoundVm, namespace: string): Promise<Event[]> {
  const { name = '', uid = '' } = found.machine.metadata;
  const { items } = await client.list(EVENTS, { namespace });
  const pods = `virt-launcher-${name}-`;
  const concerned = ({ involvedObject: about }: Event) =>
    about?.uid === uid ||
    (about?.kind === 'VirtualMachineInstance' && about.name === instanceNameOf(found)) ||
    (about?.kind === 'Pod' && about.name?.startsWith(pods) === true && !about.name.slice(pods.length).includes('-'));
  return items.filter(concerned).toSorted((a, b) => seenAt(a) - seenAt(b));
}

export const EVENT_HEADINGS = ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'];

export function eventRow(event: Event, now: number): string[] {
  const { type = '', reason = '', message = '', count = 1, involvedObject } = event;
  const times = count > 1 ? ` (x${count})` : '';
  const about = `${involvedObject?.kind?.toLowerCase() ?? ''}/${involvedObject?.name ?? ''}`;
  return [humanDuration(now - seenAt(event)) + times, type, reason, about, message.trim()];
}

function seenAt({ lastTimestamp, eventTime, firstTimestamp, metadata }: Event): number {
  return Date.parse(lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? '');
}
