import { goFields, type OpenApiSchema, openApiSchema, referencedName } from '../builtin-schema/kinds.ts';
import { type Component, referenceTo } from './component.ts';
import descriptionData from './descriptions.data.json' with { type: 'json' };
import discoveryData from './discovery-schemas.data.json' with { type: 'json' };

const DISCOVERY = discoveryData as unknown as Readonly<Record<string, OpenApiSchema>>;
/** Descriptions by component and field. The empty field is the component itself. */
const DESCRIPTIONS = descriptionData as Readonly<Record<string, Readonly<Record<string, string>>>>;
/** Descriptions of fields that every object has. */
const EVERYWHERE = DESCRIPTIONS['*'] ?? {};

const published = new Map<string, Component | undefined>();

/** Returns the published component of a built-in kind, undefined if there is none of that name. */
export function builtInComponent(name: string): Component | undefined {
  if (!published.has(name)) published.set(name, publish(name));
  return published.get(name);
}

function publish(name: string): Component | undefined {
  const schema = sourceOf(name);
  if (schema === undefined) return undefined;
  const own = DESCRIPTIONS[name] ?? {};
  const { properties, ...rest } = schema;
  return {
    ...withDescription(own['']),
    ...(rest as Component),
    ...(properties === undefined ? {} : { properties: publishFields(name, properties, own) }),
  };
}

function publishFields(
  name: string,
  properties: Readonly<Record<string, OpenApiSchema>>,
  own: Readonly<Record<string, string>>,
): Record<string, Component> {
  const isKind = 'apiVersion' in properties && 'kind' in properties && 'metadata' in properties;
  const found: Record<string, Component> = {};
  for (const [key, field] of Object.entries(properties)) {
    const description = own[key] ?? (isKind ? EVERYWHERE[key] : undefined);
    const held = referencedName(field) !== undefined && isRetained(name, key);
    found[key] = publishSchema(field, held, description);
  }
  return found;
}

/** Reports whether Go holds a field by value and not by pointer. Inlined structures are included. */
function isRetained(name: string, key: string): boolean {
  const fields = goFields(name);
  if (fields.get(key)?.flag === 'v') return true;
  const directory = name.slice(0, name.lastIndexOf('.') + 1);
  return [...fields.values()].some(
    ({ flag, type }) =>
      flag === 'i' && type !== undefined && isRetained(directory + type.slice(type.indexOf('.') + 1), key),
  );
}

/**
 * Publishes a schema. `held` marks a structure held by value, which is always present and which Kubernetes publishes
 * with a default.
 */
function publishSchema(schema: OpenApiSchema, held: boolean, description?: string): Component {
  const reference = referencedName(schema);
  if (reference !== undefined) {
    const { $ref: _, allOf: __, default: ___, ...extensions } = schema;
    const beside = {
      ...withDescription(description),
      ...(held && isStructure(reference) ? { default: {} } : {}),
      ...(extensions as Component),
    };
    return Object.keys(beside).length === 0 ? referenceTo(reference) : { ...beside, allOf: [referenceTo(reference)] };
  }
  const { items, additionalProperties, ...rest } = schema;
  return {
    ...withDescription(description),
    ...(rest as Component),
    ...(items === undefined ? {} : { items: publishSchema(items, true) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: publishSchema(additionalProperties, true) }),
  };
}

function isStructure(name: string): boolean {
  return sourceOf(name)?.properties !== undefined;
}

function sourceOf(name: string): OpenApiSchema | undefined {
  return openApiSchema(name) ?? (Object.hasOwn(DISCOVERY, name) ? DISCOVERY[name] : undefined);
}

function withDescription(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
