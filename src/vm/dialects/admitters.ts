import type { Kind } from '#platform/schema/kind';
import { type Admit, admission } from '#vm/admission/admit';
import type { Admitter } from '#vm/admission/admitter';
import { REGISTRATIONS } from './registrations.ts';

export interface AdmissionSettings {
  /** Reports whether a controller manages a kind; if not, creators get a warning. Defaults to all kinds. */
  readonly actsOn?: (kind: Kind) => boolean;
}

/** Returns the admitters of all kinds. */
export function admitters(): readonly Admitter[] {
  return Object.values(REGISTRATIONS).flatMap((registration) => registration.admitters);
}

/** Finds the admission of the kind that an object names, or undefined if it is not a kind of Vimana. */
export type FindAdmission = (apiVersion: string, kind: string) => Admit<Kind> | undefined;

/** Returns the lookup of admissions. A schema is compiled when the first object of its kind arrives. */
export function findAdmission(settings: AdmissionSettings = {}): FindAdmission {
  const known = admitters();
  const compiled = new Map<Admitter, Admit<Kind>>();
  return (apiVersion, kind) => {
    const slash = apiVersion.indexOf('/');
    const group = apiVersion.slice(0, slash);
    const admitter = known.find((candidate) => candidate.kind.kind === kind && candidate.kind.group === group);
    if (admitter === undefined || !admitter.kind.versions.includes(apiVersion.slice(slash + 1))) return undefined;
    const admit = compiled.get(admitter) ?? admissionOf(admitter, settings);
    compiled.set(admitter, admit);
    return admit;
  };
}

function admissionOf(admitter: Admitter, { actsOn }: AdmissionSettings): Admit<Kind> {
  const actedOn = actsOn === undefined || actsOn(admitter.kind);
  const admit = admission(admitter, { actedOn });
  if (actedOn) return admit;
  const { kind, group } = admitter.kind;
  const warning = `${kind}.${group} is stored, but nothing acts on it yet`;
  return (input) => {
    const admitted = admit(input);
    return input.operation === 'CREATE' ? { ...admitted, warnings: [...admitted.warnings, warning] } : admitted;
  };
}
