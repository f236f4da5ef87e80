import { goFields, type OpenApiSchema, openApiSchema, referencedName } from '../builtin-schema/kinds.ts';
import { type Component, referenceTo } from './component.ts';
import descriptionData from './descriptions.data.json' with { type: 'json' };
import discoveryData from './discovery-schemas.data.json' with { type: 'json' };

const DISCOVERY = discoveryData as unknown as Readonly<Record<string, OpenApiSchema>>;
/** By component, then by field; the component itself is the empty field. */
const DESCRIPTIONS = descriptionData as Readonly<Record<string, Readonly<Record<string, string>>>>;
/** Fields that every object has. */
const EVERYWHERE = DESCRIPTIONS['*'] ?? {};

const published = new Map<string, Component | undefined>();

/** A component of the built-in kinds as it is published; undefined where there is none of that name. */
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

/** Whether Go keeps a field inside its structure, not behind a pointer; structures that stand in others are looked into. */
function isRetained(name: string, key: string): boolean {
  const fields = goFields(name);
  if (fields.get(key)?.flag === 'v') return true;
  const folder = name.slice(0, name.lastIndexOf('.') + 1);
  return [...fields.values()].some(
    ({ flag, type }) =>
      flag === 'i' && type !== undefined && isRetained(folder + type.slice(type.indexOf('.') + 1), key),
  );
}

/** `held` tells of a structure that is part of its parent and so always there, which Kubernetes says by a default. */
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
