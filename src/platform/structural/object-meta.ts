import { append } from '#platform/base/append';
import { type FieldError, invalid, required, tooLong } from '#platform/base/field-error';
import { dns1123SubdomainProblems, labelValueProblems, qualifiedNameProblems } from '#platform/base/names';
import { runSteps, type Steps } from '#platform/base/steps';
import { utf8Length } from '#platform/base/utf8';
import type { JsonSchema } from '#platform/schema/json-schema';
import { compileChangedCheck } from './changed-check.ts';
import { compileCheck } from './checks.ts';
import { Cursor, MAX_CAUSES } from './cursor.ts';
import { compilePrune } from './prune.ts';

/** Schema of `metadata`, which every object has, and the rules of Kubernetes for it. */

const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'object', additionalProperties: text };
const instant: JsonSchema = { type: 'string', format: 'date-time', nullable: true };
const flag: JsonSchema = { type: 'boolean' };

export const metaSchema: JsonSchema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: { type: 'integer', format: 'int64' },
    creationTimestamp: instant,
    deletionTimestamp: instant,
    deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
    labels: texts,
    annotations: texts,
    finalizers: { type: 'array', items: text },
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        properties: { apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag },
      },
    },
    managedFields: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  },
};

export const pruneMeta = compilePrune(metaSchema);
const checkShape = compileCheck(metaSchema);
const checkChangedShape = compileChangedCheck(metaSchema, checkShape);

interface Meta {
  readonly name?: string;
  readonly generateName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
}

export interface MetaRules {
  /** Validates the name for one of the few kinds whose names are not DNS subdomains. */
  readonly nameProblems?: (name: string) => string[];
  /** Metadata of the stored object. Values taken over from it were validated before. */
  readonly before?: unknown;
}

const NONE: Meta = {};

/** Returns all errors of an object's metadata. The rules are checked only if the schema is satisfied. */
export function validateMeta(meta: unknown, rules: MetaRules = {}): readonly FieldError[] {
  return runSteps(metaValidation(meta, rules));
}

/** Validates metadata in steps. */
export function* metaValidation(meta: unknown, rules: MetaRules = {}): Steps<readonly FieldError[]> {
  const { nameProblems = dns1123SubdomainProblems, before } = rules;
  const known = (meta ?? NONE) as Meta;
  const old = typeof before === 'object' && before !== null ? (before as Meta) : NONE;
  const at = new Cursor();
  at.enter('metadata');
  if (old !== NONE && typeof known === 'object') checkChangedShape(known as never, old as never, at);
  else checkShape(known, at);
  if (at.causes.length > 0) return at.causes;
  yield;
  const causes = known.name === old.name && known.name !== undefined ? [] : validateName(known, nameProblems);
  if (known.labels !== old.labels) append(causes, validateLabel(known));
  yield;
  if (known.annotations !== old.annotations || known.finalizers !== old.finalizers) {
    append(causes, validateAnnotation(known));
  }
  if (known.ownerReferences !== old.ownerReferences) append(causes, validateReference(known));
  return causes;
}

function validateName({ name = '', generateName = '' }: Meta, nameProblems: (name: string) => string[]): FieldError[] {
  const causes: FieldError[] = [];
  if (generateName !== '') {
    // A generated name ends in a suffix, so a trailing dash is valid. Kubernetes also ignores the character before it.
    const masked = /.-$/s.test(generateName) ? `${generateName.slice(0, -2)}a` : generateName;
    for (const problem of nameProblems(masked)) {
      causes.push(invalid('metadata.generateName', generateName, problem));
    }
  }
  if (name === '' && generateName === '') {
    causes.push(required('metadata.name', 'name or generateName is required'));
  } else if (name !== '') {
    for (const problem of nameProblems(name)) causes.push(invalid('metadata.name', name, problem));
  }
  return causes;
}

function validateLabel({ labels = {} }: Meta): FieldError[] {
  const causes: FieldError[] = [];
  for (const name of Object.keys(labels)) {
    if (causes.length >= MAX_CAUSES) break;
    const value = labels[name] as string;
    for (const problem of qualifiedNameProblems(name)) causes.push(invalid('metadata.labels', name, problem));
    for (const problem of labelValueProblems(value)) causes.push(invalid('metadata.labels', value, problem));
  }
  return causes;
}

const MAX_ANNOTATION_BYTES = 256 * 1024;

function validateAnnotation({ annotations = {}, finalizers = [] }: Meta): FieldError[] {
  const causes: FieldError[] = [];
  let size = 0;
  for (const name of Object.keys(annotations)) {
    const value = annotations[name] as string;
    size += utf8Length(name) + utf8Length(value);
    if (causes.length >= MAX_CAUSES) continue;
    // The key of an annotation may have upper-case letters in its prefix.
    for (const problem of qualifiedNameProblems(name.toLowerCase())) {
      causes.push(invalid('metadata.annotations', name, problem));
    }
  }
  if (size > MAX_ANNOTATION_BYTES) causes.push(tooLong('metadata.annotations', MAX_ANNOTATION_BYTES));
  for (const name of finalizers) {
    if (causes.length >= MAX_CAUSES) break;
    for (const problem of qualifiedNameProblems(name)) causes.push(invalid('metadata.finalizers', name, problem));
  }
  return causes;
}

function validateReference({ ownerReferences = [] }: Meta): FieldError[] {
  const causes: FieldError[] = [];
  let controller: OwnerReference | undefined;
  let told = false;
  for (const reference of ownerReferences) {
    if (causes.length >= MAX_CAUSES) break;
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (reference[field]) continue;
      const detail = field === 'apiVersion' ? 'version must not be empty' : 'must not be empty';
      causes.push(invalid(`metadata.ownerReferences.${field}`, reference[field] ?? '', detail));
    }
    if (reference.controller !== true) continue;
    // Only one cause is reported, because each shows all references.
    if (controller !== undefined && !told) {
      told = true;
      const both = `${controller.kind}/${controller.name} and ${reference.kind}/${reference.name}`;
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${both}`;
      causes.push(invalid('metadata.ownerReferences', ownerReferences, detail));
    }
    controller = reference;
  }
  return causes;
}
