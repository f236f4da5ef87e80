import { type Component, referencedComponent } from './component.ts';

/**
 * A component in the words of OpenAPI v2: descriptions stand beside references, there are no defaults, and what is
 * one of several types is text, as clients of that version expect quantities and numbers that may be text.
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
