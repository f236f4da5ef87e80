import { deepEqual } from '#platform/structural/deep-equal';
import type { Registry } from '../registry.ts';
import type { Resource } from '../resource.ts';
import type { Store } from '../store/store.ts';
import type { Convert } from './conversion.ts';
import { type Crd, isTrue } from './crd.ts';
import { type CrdHistory, customResources, storagePrefix, storedResource } from './custom-resource.ts';

export interface ServedCrdsDeps {
  readonly registry: Registry;
  readonly store: Store;
  readonly converterFor: (definition: Crd) => Convert;
}

/** Served state of one CRD. */
interface Served {
  readonly definition: Crd;
  readonly resources: readonly Resource[];
  readonly convert: Convert;
  readonly staleBefore: number;
  /** Controllers that end the watches of a version. */
  readonly endings: ReadonlyMap<string, AbortController>;
}

/** Resources of established CRDs, which are registered as long as they are served. */
export class ServedCrds {
  readonly #parts: ServedCrdsDeps;
  readonly #served = new Map<string, Served>();

  constructor(parts: ServedCrdsDeps) {
    this.#parts = parts;
  }

  /** Serves the current state of a CRD, whose last change has `revision`. Does nothing if nothing changed. */
  serve(definition: Crd, revision: number): void {
    const name = definition.metadata.name ?? '';
    const before = this.#served.get(name);
    if (!isTrue(definition, 'Established') || this.#isBuiltIn(definition)) return this.forget(name);
    if (before !== undefined && isSame(before.definition, definition)) return;
    const { registry, converterFor } = this.#parts;
    const flows = before !== undefined && isSameFlow(before.definition, definition);
    const endings = new Map<string, AbortController>();
    for (const { name: version } of definition.spec.versions) {
      endings.set(version, (flows ? before.endings.get(version) : undefined) ?? new AbortController());
    }
    const convert = converterFor(definition);
    const staleBefore =
      before !== undefined && hasSameSchemas(before.definition, definition)
        ? before.staleBefore
        : this.#oldestFresh(definition, revision);
    const resources = customResources(definition, convert, pastOf({ staleBefore, endings }));
    const gone = (before?.resources ?? []).filter((old) => !resources.some(({ version }) => version === old.version));
    if (gone.length > 0) registry.remove(gone);
    if (resources.length > 0) registry.add(resources);
    this.#served.set(name, { definition, resources, convert, staleBefore, endings });
    const served = new Set(resources.map(({ version }) => version));
    for (const [version, ending] of before?.endings ?? []) {
      if (!served.has(version) || endings.get(version) !== ending) ending.abort();
    }
  }

  forget(name: string): void {
    const before = this.#served.get(name);
    if (before === undefined) return;
    this.#served.delete(name);
    this.#parts.registry.remove(before.resources);
    for (const ending of before.endings.values()) ending.abort();
  }

  /** Returns the storage version of a served CRD, whether or not that version is served. */
  stored(name: string): Resource | undefined {
    const served = this.#served.get(name);
    return served === undefined ? undefined : storedResource(served.definition, served.convert, pastOf(served));
  }

  /** Reports whether a CRD has the name of a built-in resource, whose objects it would take over. */
  #isBuiltIn({ spec }: Crd): boolean {
    const { registry } = this.#parts;
    for (const { group, plural, custom } of registry.all()) {
      if (!custom && group === spec.group && plural === spec.names.plural) return true;
    }
    return false;
  }

  /** Returns the revision before which objects may have been written under other schemas, 0 if there are none. */
  #oldestFresh(definition: Crd, revision: number): number {
    const { entries } = this.#parts.store.range({ prefix: storagePrefix(definition) });
    return entries.some((entry) => entry.revision < revision) ? revision : 0;
  }
}

function pastOf({ staleBefore, endings }: Pick<Served, 'staleBefore' | 'endings'>): CrdHistory {
  return { staleBefore, ended: (version) => (endings.get(version) ?? new AbortController()).signal };
}

function isSame(a: Crd, b: Crd): boolean {
  return (
    deepEqual(a.spec, b.spec) &&
    deepEqual(a.status?.acceptedNames, b.status?.acceptedNames) &&
    deepEqual(a.status?.storedVersions, b.status?.storedVersions) &&
    isTrue(a, 'Terminating') === isTrue(b, 'Terminating')
  );
}

/** Reports whether objects are still read from the store in the same way, so that watches can continue. */
function isSameFlow(a: Crd, b: Crd): boolean {
  const storage = ({ spec }: Crd) => spec.versions.find((version) => version.storage)?.name;
  return (
    storage(a) === storage(b) &&
    deepEqual(a.spec.conversion, b.spec.conversion) &&
    deepEqual(a.status?.storedVersions, b.status?.storedVersions)
  );
}

function hasSameSchemas(a: Crd, b: Crd): boolean {
  const schemas = ({ spec }: Crd) => spec.versions.map(({ name, schema }) => ({ name, schema: schema ?? null }));
  return deepEqual(schemas(a), schemas(b));
}
