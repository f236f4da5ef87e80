/** Patch rules of a field: lists with `merge` are merged item by item, maps with `replace` are replaced as a whole. */
export interface PatchField {
  readonly strategy: 'merge' | 'replace' | '';
  /** Member that identifies items of a merged list. Empty for lists of scalars. */
  readonly mergeKey: string;
  /** Type of the value, or of the items of a list. */
  readonly schema: PatchSchema;
}

/** Information about a type that strategic merge patch needs. */
export interface PatchSchema {
  /** Name of the type in error messages. */
  readonly name: string;
  /** Returns a field, or undefined if the type does not have it. */
  field(key: string): PatchField | undefined;
}

/** Part of an OpenAPI schema that matters to patches. */
export interface PatchSchemaSource {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, PatchSchemaSource>>;
  readonly additionalProperties?: PatchSchemaSource | boolean;
  readonly items?: PatchSchemaSource;
  readonly allOf?: readonly PatchSchemaSource[];
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** Looks up types among OpenAPI components. Each is read on first use. */
export class PatchSchemas {
  readonly #components: Readonly<Record<string, PatchSchemaSource>>;
  readonly #types = new Map<string, PatchSchema>();

  constructor(components: Readonly<Record<string, PatchSchemaSource>>) {
    this.#components = components;
  }

  /** Returns the type of a component, such as io.k8s.api.core.v1.Pod, or undefined if there is none. */
  get(component: string): PatchSchema | undefined {
    const known = this.#types.get(component);
    if (known !== undefined) return known;
    const source = Object.hasOwn(this.#components, component) ? this.#components[component] : undefined;
    if (source === undefined) return undefined;
    const schema = this.#type(component.slice(component.lastIndexOf('.') + 1), source);
    this.#types.set(component, schema);
    return schema;
  }

  #resolve(source: PatchSchemaSource): PatchSchema {
    const ref = source.$ref ?? source.allOf?.[0]?.$ref;
    const component = ref?.slice(ref.lastIndexOf('/') + 1);
    return (component === undefined ? undefined : this.get(component)) ?? this.#type(source.type ?? 'object', source);
  }

  #type(name: string, source: PatchSchemaSource): PatchSchema {
    const fields = new Map<string, PatchField>();
    const { properties = {}, additionalProperties } = source;
    return {
      name,
      field: (key) => {
        const known = fields.get(key);
        if (known !== undefined) return known;
        const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
        const member = property ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
        if (member === undefined) return undefined;
        const field = this.#field(member);
        // Entries of a map are not cached, because their names come from users and are unbounded.
        if (property !== undefined) fields.set(key, field);
        return field;
      },
    };
  }

  #field(source: PatchSchemaSource): PatchField {
    const strategies = source['x-kubernetes-patch-strategy']?.split(',') ?? [];
    return {
      strategy: strategies.includes('merge') ? 'merge' : strategies.includes('replace') ? 'replace' : '',
      mergeKey: source['x-kubernetes-patch-merge-key'] ?? '',
      schema: this.#resolve(source.items ?? source),
    };
  }
}
