import { keyOf } from '#platform/runtime/key';
import { VmEntry } from './vm-entry.ts';
import type { AnyVm } from './vm-scope.ts';

/** The entries of all VMs of one dialect. */
export class VmEntries {
  readonly #byKey = new Map<string, VmEntry>();
  readonly #onForget: (key: string, entry: VmEntry | undefined) => void;

  /** `onForget` is called before a VM is seen for the first time, too, since another may have had its name. */
  constructor(onForget: (key: string, entry: VmEntry | undefined) => void) {
    this.#onForget = onForget;
  }

  /** Returns the entry of a VM that was reconciled before, or of a deleted one that had its name. */
  find(key: string): VmEntry | undefined {
    return this.#byKey.get(key);
  }

  of(vm: AnyVm): VmEntry {
    const key = keyOf(vm);
    const { uid } = vm.metadata;
    const known = this.#byKey.get(key);
    if (known?.uid === uid) return known;
    this.forget(key);
    const entry = new VmEntry(uid);
    this.#byKey.set(key, entry);
    return entry;
  }

  forget(key: string): void {
    const entry = this.#byKey.get(key);
    this.#byKey.delete(key);
    this.#onForget(key, entry);
  }
}
