export interface TenantLimits {
  /** Maximum number of jobs that run at once. */
  readonly total: number;
  /** Maximum number of jobs of one tenant that run at once. */
  readonly perTenant: number;
}

/** Job that is waiting or running. */
export interface QueuedJob {
  /** Adds another tenant that needs the job. The job may then run in that tenant's turn, if it comes sooner. */
  join(tenant: string): void;
  /** Withdraws a tenant that no longer needs the job. */
  leave(tenant: string): void;
}

interface Job {
  readonly run: () => Promise<void>;
  readonly tenants: Set<string>;
  isWaiting: boolean;
}

/** Runs the jobs of several tenants. A tenant with many or slow jobs does not make the others wait. */
export class TenantQueue {
  readonly #limits: TenantLimits;
  readonly #waiting = new Map<string, Set<Job>>();
  readonly #running = new Map<string, number>();
  /** Records the last turn of each tenant that has jobs. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  #total = 0;

  constructor(limits: TenantLimits) {
    this.#limits = limits;
  }

  /** Runs a job when its turn comes, unless its tenants have left by then. The job handles its own failures. */
  add(run: () => Promise<void>, tenant: string): QueuedJob {
    const job: Job = { run, tenants: new Set(), isWaiting: true };
    const handle: QueuedJob = {
      join: (each) => {
        if (!job.isWaiting) return;
        job.tenants.add(each);
        this.#waiting.set(each, (this.#waiting.get(each) ?? new Set()).add(job));
        this.#next();
      },
      leave: (each) => {
        job.tenants.delete(each);
        this.#remove(job, each);
      },
    };
    handle.join(tenant);
    return handle;
  }

  #remove(job: Job, tenant: string): void {
    const jobs = this.#waiting.get(tenant);
    jobs?.delete(job);
    if (jobs?.size === 0) this.#waiting.delete(tenant);
  }

  #next(): void {
    while (this.#total < this.#limits.total) {
      const tenant = this.#nextTenant();
      const [job] = tenant === undefined ? [] : (this.#waiting.get(tenant) ?? []);
      if (tenant === undefined || job === undefined) return;
      job.isWaiting = false;
      for (const each of job.tenants) this.#remove(job, each);
      void this.#run(job, tenant);
    }
  }

  /** Picks the tenant with the fewest running jobs. Of several, it picks the one whose turn was longest ago. */
  #nextTenant(): string | undefined {
    let best: string | undefined;
    let [fewest, earliest] = [this.#limits.perTenant, 0];
    for (const tenant of this.#waiting.keys()) {
      const count = this.#running.get(tenant) ?? 0;
      const turn = this.#turns.get(tenant) ?? 0;
      if (count < fewest || (count === fewest && turn < earliest)) [best, fewest, earliest] = [tenant, count, turn];
    }
    return best;
  }

  async #run(job: Job, tenant: string): Promise<void> {
    this.#count(tenant, 1);
    this.#turns.set(tenant, ++this.#turn);
    try {
      await job.run();
    } finally {
      this.#count(tenant, -1);
      this.#next();
      if (!this.#running.has(tenant) && !this.#waiting.has(tenant)) this.#turns.delete(tenant);
    }
  }

  #count(tenant: string, change: 1 | -1): void {
    this.#total += change;
    const count = (this.#running.get(tenant) ?? 0) + change;
    if (count === 0) this.#running.delete(tenant);
    else this.#running.set(tenant, count);
  }
}
