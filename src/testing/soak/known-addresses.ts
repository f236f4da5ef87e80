import { VMS, type Vm } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';

/** Records the addresses that VMs have ever reported, which they must keep for their lifetime. */
export class KnownAddresses {
  readonly #byUid = new Map<string, string>();
  readonly changed: string[] = [];

  async watch(admin: Client, signal: AbortSignal): Promise<void> {
    for await (const { type, object } of admin.watch(VMS, { signal })) {
      if (type === 'ADDED' || type === 'MODIFIED') this.#note(object);
    }
  }

  #note({ metadata, status }: Vm): void {
    if (status?.interfaces === undefined) return;
    const now = status.interfaces.map(({ name, mac, ipAddress }) => `${name} ${mac} ${ipAddress}`).join(', ');
    const before = this.#byUid.get(metadata.uid);
    if (before !== undefined && before !== now) {
      this.changed.push(`${metadata.namespace}/${metadata.name} had ${before}, and then ${now}`);
    }
    this.#byUid.set(metadata.uid, now);
  }
}
