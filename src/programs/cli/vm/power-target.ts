import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { VimanaError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { type WaitFlags, type WaitState, waitFor } from '../objects/wait.ts';
import type { VmDeps } from '../vm-deps.ts';
import { type FoundVm, instanceOf } from './find.ts';

export interface PowerFlags extends WaitFlags {
  readonly nodeSelector?: string[];
  readonly targetNode?: string;
  readonly bandwidth?: string;
  readonly autoConverge?: boolean;
  readonly postCopy?: boolean;
  readonly cold?: boolean;
}

/** VM to act on, with the flags and the client for it. */
export interface PowerTarget {
  readonly client: Client;
  readonly found: FoundVm;
  readonly name: string;
  readonly namespace: string;
  readonly flags: PowerFlags;
  readonly parts: VmDeps;
}

/** Returns the instance of a VM, and throws if the VM does not run. */
export async function runningInstance({ client, found, name }: PowerTarget): Promise<Vmi> {
  const instance = await instanceOf(client, found);
  if (instance !== undefined) return instance;
  throw new VimanaError('NOT_RUNNING', `${name} is not running`, { hint: `vimana vm start ${name} --wait` });
}

/** Returns a function that waits for the instance of a VM. */
export function waitForInstance(
  { client, name, namespace, flags, parts }: PowerTarget,
  instance: string,
  what: string,
  progress: (instance: Vmi | undefined) => WaitState,
): () => Promise<void> {
  const awaited = { type: VMIS, name: instance, namespace, machine: name, what: `${name} ${what}`, progress };
  return () => waitFor({ ...parts, client }, awaited, flags.timeout);
}
