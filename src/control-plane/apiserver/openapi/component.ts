import type { Json } from '#platform/schema/json-schema';

/** An OpenAPI schema with unresolved references. */
export interface Component {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly default?: Json;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Component>>;
  readonly additionalProperties?: Component | boolean;
  readonly items?: Component;
  readonly allOf?: readonly Component[];
  readonly anyOf?: readonly Component[];
  readonly oneOf?: readonly Component[];
  readonly not?: Component;
  readonly nullable?: boolean;
  readonly [keyword: string]: unknown;
}

const PREFIX = '#/components/schemas/';

export function referenceTo(name: string): Component {
  return { $ref: PREFIX + name };
}

/** Returns a reference with a description, for which OpenAPI v3 requires a wrapper. */
export function describedReference(name: string, description: string): Component {
  return { description, allOf: [referenceTo(name)] };
}

/** Returns the component that a schema refers to, if it is a reference with or without a description. */
export function referencedComponent({ $ref, allOf }: Component): string | undefined {
  const reference = $ref ?? (allOf?.length === 1 ? allOf[0]?.$ref : undefined);
  return reference?.slice(PREFIX.length);
}

/** Returns every component that a schema refers to, not recursively. */
export function referencesIn(schema: Component): Set<string> {
  const found = new Set<string>();
  const visit = (each: Component): void => {
    if (each.$ref !== undefined) found.add(each.$ref.slice(PREFIX.length));
    for (const inner of innerSchemas(each)) visit(inner);
  };
  visit(schema);
  return found;
}

function innerSchemas({ properties, additionalProperties, items, allOf, anyOf, oneOf, not }: Component): Component[] {
  return [
    ...Object.values(properties ?? {}),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...(items === undefined ? [] : [items]),
    ...(allOf ?? []),
    ...(anyOf ?? []),
    ...(oneOf ?? []),
    ...(not === undefined ? [] : [not]),
  ];
}
