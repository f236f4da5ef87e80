import { type FieldError, invalid, key } from '#platform/base/field-error';

export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** A level as of a minor version of Kubernetes. Infinity means the latest. */
export interface Standard {
  readonly level: PodSecurityLevel;
  readonly minor: number;
}

const PREFIX = 'pod-security.kubernetes.io/';
const LEVELS: readonly string[] = ['privileged', 'baseline', 'restricted'];
const MODES = ['enforce', 'audit', 'warn'] as const;

type Labels = Readonly<Record<string, string>> | undefined;

/** Returns the standard of a namespace for one mode. Without a valid label there is none. */
export function standardOf(labels: Labels, mode: (typeof MODES)[number]): Standard {
  const level = labels?.[PREFIX + mode];
  const minor = minorOf(labels?.[`${PREFIX}${mode}-version`] ?? 'latest');
  // An invalid level counts as the strictest one, so that a typo does not open a namespace.
  if (level === undefined) return { level: 'privileged', minor: minor ?? Number.POSITIVE_INFINITY };
  return {
    level: LEVELS.includes(level) ? (level as PodSecurityLevel) : 'restricted',
    minor: minor ?? Number.POSITIVE_INFINITY,
  };
}

function minorOf(version: string): number | undefined {
  if (version === 'latest') return Number.POSITIVE_INFINITY;
  const [, minor] = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
}

/** Formats a standard as in messages: restricted:latest, baseline:v1.24. */
export function formatStandard({ level, minor }: Standard): string {
  return `${level}:${minor === Number.POSITIVE_INFINITY ? 'latest' : `v1.${minor}`}`;
}

export function sameStandard(a: Standard, b: Standard): boolean {
  return a.level === b.level && a.minor === b.minor;
}

/** Reports whether one level is at most as strict as another. */
export function isAtMost(a: PodSecurityLevel, b: PodSecurityLevel): boolean {
  return LEVELS.indexOf(a) <= LEVELS.indexOf(b);
}

/** Validates the labels that set levels. */
export function validateLabel(labels: Labels): FieldError[] {
  return MODES.flatMap((mode) => {
    const causes: FieldError[] = [];
    const level = labels?.[PREFIX + mode];
    if (level !== undefined && !LEVELS.includes(level)) {
      causes.push(invalid(key('metadata.labels', PREFIX + mode), level, `must be one of ${LEVELS.join(', ')}`));
    }
    const version = labels?.[`${PREFIX}${mode}-version`];
    if (version !== undefined && minorOf(version) === undefined) {
      const field = key('metadata.labels', `${PREFIX}${mode}-version`);
      causes.push(invalid(field, version, 'must be "latest" or "v1.x"'));
    }
    return causes;
  });
}
