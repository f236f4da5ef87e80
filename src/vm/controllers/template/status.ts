import { IN_USE, userNames } from '#api/hypersdk/template-use';
import type { VMTemplate } from '#api/hypersdk/vm-template';
import { formatQuantity, quantityOf } from '#platform/base/quantity';
import { isOnWeb } from '#platform/base/web-address';
import { type Condition, withTransitionTime } from '#vm/engine/condition';
import type { Problem } from '#vm/engine/dialect';
import type { ImageProbeResult } from './image-probe.ts';

export type TemplateStatus = NonNullable<VMTemplate['status']>;

/** State that the status of a template depends on. */
export interface TemplateView {
  /** Reasons for which admission would reject it. */
  readonly problem: Problem | undefined;
  readonly image: ImageProbeResult;
  /** Time of the last probe of the image. Undefined if images are not probed. */
  readonly lookedAt: string | undefined;
  /** Set if the digest is verified before a VM from this template first starts. */
  readonly verifies: boolean;
  /** Keys of the VMs that reference it. */
  readonly users: readonly string[];
  readonly now: string;
}

type ConditionDraft = Pick<Condition, 'status' | 'reason' | 'message'>;

export function statusOf({ metadata, spec, status: before }: VMTemplate, view: TemplateView): TemplateStatus {
  const { image, users, lookedAt, now } = view;
  const valid = validity(view);
  const ready = readiness(valid, image, users, metadata.deletionTimestamp !== undefined);
  const reported: readonly (readonly [string, ConditionDraft])[] = [
    ['Valid', valid],
    ['ImageAccessible', { status: image.status, reason: image.reason, message: imageWords(view, spec.image) }],
    ['Ready', ready],
    [IN_USE, usage(users)],
  ];
  const isSeen = before?.observedGeneration === metadata.generation;
  const size = sizeOf(image, spec.image.size);
  return {
    observedGeneration: metadata.generation,
    ready: ready.status === 'True',
    ...(size === undefined ? {} : { size }),
    lastUpdated: lookedAt ?? (isSeen ? (before.lastUpdated ?? now) : now),
    usageCount: users.length,
    conditions: reported.map(([type, each]) => withTransitionTime(before?.conditions, { type, ...each }, now)),
  };
}

function validity({ problem }: TemplateView): ConditionDraft {
  return problem === undefined
    ? { status: 'True', reason: 'Valid', message: 'the template is valid' }
    : { status: 'False', ...problem };
}

/** Describes the image. Only its existence is checked here; it is downloaded for VMs, if at all. */
function imageWords(
  { image: { message }, verifies }: TemplateView,
  { source, checksum }: VMTemplate['spec']['image'],
): string {
  if (checksum?.type === undefined) return message;
  const when = verifies && isOnWeb(source) ? 'is verified before the first start of a VM' : 'is not verified here';
  return `${message}; its ${checksum.type} ${when}`;
}

/** Returns the readiness. An unknown state of the image does not prevent the creation of VMs. */
function readiness(
  valid: ConditionDraft,
  image: ImageProbeResult,
  users: readonly string[],
  leaving: boolean,
): ConditionDraft {
  if (leaving) {
    const message = `deletion waits until no VM refers to it: ${userNames(users)}`;
    return { status: 'False', reason: 'Deleting', message };
  }
  if (valid.status === 'False') return { status: 'False', reason: 'Invalid', message: `${valid.message}` };
  if (image.status === 'False') return { status: 'False', reason: 'ImageNotAccessible', message: image.message };
  return { status: 'True', reason: 'Ready', message: 'VMs can be created from it' };
}

function usage(users: readonly string[]): ConditionDraft {
  return users.length === 0
    ? { status: 'False', reason: 'Unused', message: 'no VM refers to it' }
    : { status: 'True', reason: 'NamedByMachines', message: userNames(users) };
}

/** Returns the size of the file if it is known, else the one that the template states. */
function sizeOf({ bytes }: ImageProbeResult, reported: string | number | undefined): string | undefined {
  if (bytes !== undefined) return formatQuantity(quantityOf(bytes, 'BinarySI'));
  return reported === undefined ? undefined : `${reported}`;
}
