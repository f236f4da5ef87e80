import { HYPERSDK_VMS, type Template, VM_TEMPLATES } from '#api/hypersdk/resources';
import { TEMPLATE_FINALIZER, templateKey, userNames } from '#api/hypersdk/template-use';
import { vmTemplate } from '#api/hypersdk/vm-template';
import { timestamp } from '#platform/base/timestamp';
import { type Context, type Controller, type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { OwnWrites } from '#platform/runtime/own-writes';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { type AdmissionRecheck, AdmissionRechecks } from '#vm/engine/admission-recheck';
import { type ImageProbe, NOT_PROBED } from './image-probe.ts';
import { ImageProbes, type ProbedImage, probeAgainMs } from './image-probes.ts';
import { statusOf, type TemplateStatus } from './status.ts';
import { usersOf } from './users.ts';

interface TemplateControllerOptions {
  /** Rechecks stored objects. Absent if only objects that passed admission are stored. */
  readonly recheck?: AdmissionRecheck;
  /** Probes images. Absent if images are not probed. */
  readonly probe?: ImageProbe;
  /** Set if the digests of images are verified before VMs first start. */
  readonly verifies?: boolean;
}

/** Time within which VMs that are created or deleted are reported in one write. */
const GATHERED_MS = 200;

/** Everything that the controller remembers of the status of one template. */
interface TemplateEntry {
  readonly ownWrites: OwnWrites;
  /** Time at which the status was last written. */
  writtenAt: number;
}

/**
 * Reconciles templates: reports whether VMs can be created from them and how many exist, and protects templates in use.
 */
export function templates(options: TemplateControllerOptions = {}): Controller<Template> {
  const reporter = new TemplateReporter(options);
  return {
    name: 'vmtemplate.hypersdk.io',
    for: VM_TEMPLATES,
    isOwnWrite: (template) => reporter.isOwnWrite(template),
    watches: [userWatch],
    reconcile: (template, context) => reporter.report(template, context),
    finalize: {
      finalizer: TEMPLATE_FINALIZER,
      async run(template, context) {
        const users = usersOf(template, context.cache(HYPERSDK_VMS));
        if (users.length === 0) return undefined;
        const message = `deletion waits until no VM refers to it: ${userNames(users)}`;
        if (template.status?.ready !== false) context.events.event(template, 'Warning', 'InUse', message);
        return (await reporter.report(template, context)) ?? 'held';
      },
    },
    forget: (key) => reporter.forget(key),
  };
}

const userWatch: WatchSource = watchSource(HYPERSDK_VMS, (vm, _context, { old, object }) => {
  const key = templateKey(vm);
  // Other changes of a VM do not concern its template.
  const isSame = old !== undefined && templateKey(old) === templateKey(object);
  return key === undefined || isSame ? [] : [key];
});

class TemplateReporter {
  readonly #rechecks: AdmissionRechecks;
  readonly #probes: ImageProbes | undefined;
  readonly #verifies: boolean;
  readonly #entries = new Map<string, TemplateEntry>();

  constructor({ recheck, probe, verifies = false }: TemplateControllerOptions) {
    this.#rechecks = new AdmissionRechecks(vmTemplate, recheck);
    this.#probes = probe === undefined ? undefined : new ImageProbes(probe);
    this.#verifies = verifies;
  }

  isOwnWrite({ metadata }: Template): boolean {
    return this.#entries.get(keyOf({ metadata }))?.ownWrites.isOwnWrite(metadata.resourceVersion) === true;
  }

  async report(template: Template, context: Context): Promise<ReconcileResult | undefined> {
    const { clock, client } = context;
    const key = keyOf(template);
    const image = this.#probes?.of(template, context);
    // The status is not written before the image was probed, or VMs would start without it.
    if (this.#probes !== undefined && image === undefined) return undefined;
    const status = this.#status(template, image, context);
    const entry = this.#entry(key);
    const wait = entry.writtenAt + GATHERED_MS - clock.monotonic();
    if (wait > 0 && isOnlyUsage(template.status, status)) return { requeueAfterMs: wait };
    const write = writeStatus(client, VM_TEMPLATES, template, status);
    const written = await entry.ownWrites.during(write, () => context.enqueue(key));
    if (written !== template) entry.writtenAt = clock.monotonic();
    if (image === undefined || this.#probes?.isRunning(key) === true) return undefined;
    return { requeueAfterMs: probeAgainMs(image, clock.monotonic()) };
  }

  forget(key: string): void {
    this.#probes?.forget(key);
    this.#rechecks.forget(key);
    this.#entries.delete(key);
  }

  #status(template: Template, image: ProbedImage | undefined, { cache, clock }: Context): TemplateStatus {
    return statusOf(template, {
      problem: this.#rechecks.of(keyOf(template), template),
      image: image?.result ?? NOT_PROBED,
      lookedAt: image?.at,
      verifies: this.#verifies,
      users: usersOf(template, cache(HYPERSDK_VMS)),
      now: timestamp(clock.now()),
    });
  }

  #entry(key: string): TemplateEntry {
    const entry = this.#entries.get(key) ?? { ownWrites: new OwnWrites(), writtenAt: Number.NEGATIVE_INFINITY };
    this.#entries.set(key, entry);
    return entry;
  }
}

/**
 * Reports whether only the set of VMs has changed. An unused template is reported at once, since it may then be
 * deleted.
 */
function isOnlyUsage(before: TemplateStatus | undefined, after: TemplateStatus): boolean {
  const isSame = before?.observedGeneration === after.observedGeneration && before?.ready === after.ready;
  return isSame && after.usageCount !== 0;
}
