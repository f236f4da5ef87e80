import type { Command } from 'commander';
import type { Clock } from '#platform/base/clock';
import { VimanaError } from '#platform/base/errors';
import type { Client, ResourceType } from '#platform/kube/client';
import { ignoreNotFound, isGone } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { durationOption, formatDurationFlag } from '../duration-option.ts';
import type { Io } from '../io.ts';

export interface WaitFlags {
  readonly wait?: boolean;
  readonly timeout: number;
}

/** Adds `--wait` and `--timeout` to a command whose effect takes a while. */
export function withWaitFlags(command: Command): Command {
  return command
    .option('--wait', 'wait for completion, and print progress')
    .addOption(durationOption('--timeout <duration>', 'maximum time to wait', '5m'));
}

/** Progress of an object: done, failed for a reason, or in progress. */
export type WaitState = { readonly done: string } | { readonly at: string } | { readonly failed: string };

export interface AwaitedObject<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly name: string;
  readonly namespace: string;
  /** VM that the wait is about. */
  readonly machine: string;
  /** Description of the goal: "web to run". */
  readonly what: string;
  /** Command that shows why the wait takes so long. Defaults to the events of the VM. */
  readonly look?: string;
  /** Returns the progress of the object, or of its absence. */
  progress(object: T | undefined): WaitState;
}

export interface WaitDeps {
  readonly io: Io;
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Watches an object until it reaches its goal, which is printed. Each step before is printed once to standard error.
 */
export async function waitFor<T extends KubeObject>(
  { io, client, clock, signal }: WaitDeps,
  awaited: AwaitedObject<T>,
  timeoutMs: number,
): Promise<void> {
  const over = new AbortController();
  const timer = clock.timer(timeoutMs, () => over.abort());
  const ended = AbortSignal.any([signal, over.signal]);
  let last = '';
  const step = (object: T | undefined): boolean => {
    const progress = awaited.progress(object);
    if ('done' in progress) {
      io.out(`${awaited.machine} is ${progress.done}\n`);
      return true;
    }
    if ('failed' in progress) throw new VimanaError('FAILED', `failed waiting for ${awaited.what}: ${progress.failed}`);
    if (progress.at !== last) io.err(`${awaited.machine}: ${progress.at}\n`);
    last = progress.at;
    return false;
  };
  try {
    for (;;) {
      if (await followObject(client, awaited, step, ended)) return;
    }
  } catch (error) {
    if (!over.signal.aborted) throw error;
    throw new VimanaError(
      'TIMEOUT',
      `timed out after ${formatDurationFlag(timeoutMs)} waiting for ${awaited.what}, which is ${last}`,
      {
        hint: `To see why: ${awaited.look ?? `vimana vm events ${awaited.machine}`}`,
      },
    );
  } finally {
    timer.cancel();
  }
}

/** Runs one watch. Returns false if it ended before the goal and another is required. */
async function followObject<T extends KubeObject>(
  client: Client,
  { type, name, namespace }: AwaitedObject<T>,
  step: (object: T | undefined) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const present = await ignoreNotFound(client.get(type, name, { namespace, signal }));
  if (step(present)) return true;
  const { resourceVersion } = present?.metadata ?? {};
  const from = resourceVersion === undefined ? {} : { resourceVersion };
  try {
    for await (const { type: change, object } of client.watch(type, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      ...from,
      signal,
    })) {
      if (change !== 'BOOKMARK' && step(change === 'DELETED' ? undefined : object)) return true;
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  signal.throwIfAborted();
  return false;
}
