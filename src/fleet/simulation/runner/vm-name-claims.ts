/** Names of VMs that scenarios have started to create, which may not be visible yet. */
export class VmNameClaims {
  readonly #scenarioByVm = new Map<string, string>();

  /** Claims the names for a scenario. If others have claimed some of them, returns these and claims nothing. */
  claim(scenario: string, vms: readonly string[]): readonly { readonly vm: string; readonly scenario: string }[] {
    const taken = vms.flatMap((vm) => {
      const by = this.#scenarioByVm.get(vm) ?? scenario;
      return by === scenario ? [] : [{ vm, scenario: by }];
    });
    if (taken.length === 0) for (const vm of vms) this.#scenarioByVm.set(vm, scenario);
    return taken;
  }

  release(scenario: string): void {
    for (const [vm, by] of this.#scenarioByVm) if (by === scenario) this.#scenarioByVm.delete(vm);
  }
}
