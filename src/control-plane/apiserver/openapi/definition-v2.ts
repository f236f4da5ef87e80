import { type Component, referencedComponent } from './component.ts';

/**
 * Converts a component to OpenAPI v2: descriptions are beside references, there are no defaults, and a union of types
 * becomes a string, as clients of that version expect of quantities and int-or-string values.
 */
export function definitionV2(component: Component): Component {
  const reference = referencedComponent(component);
  if (reference !== undefined) {
    const { $ref: _, allOf: __, default: ___, ...beside } = component;
    return { ...beside, $ref: `#/definitions/${reference}` };
  }
  const { default: _, oneOf, properties, items, additionalProperties, ...rest } = component;
  return {
    ...rest,
    ...(oneOf === undefined || rest.type !== undefined ? {} : { type: 'string' }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [name, definitionV2(field)]),
          ),
        }),
    ...(items === undefined ? {} : { items: definitionV2(items) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object' ? definitionV2(additionalProperties) : additionalProperties,
        }),
  };
}
