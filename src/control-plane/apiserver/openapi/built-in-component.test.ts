import { describe, expect, it } from 'vitest';
import { openApiSchema } from '../builtin-schema/kinds.ts';
import { builtInComponent } from './built-in-component.ts';
import descriptions from './descriptions.data.json' with { type: 'json' };

describe('descriptions', () => {
  const { '*': _, ...components } = descriptions as Record<string, Record<string, string>>;

  it.each(Object.entries(components))('of %s belong to existing fields', (name, fields) => {
    const properties = Object.keys(openApiSchema(name)?.properties ?? {});
    expect(Object.keys(fields).filter((field) => field !== '' && !properties.includes(field))).toEqual([]);
  });

  it('are set on components, plain fields and references', () => {
    const pod = builtInComponent('io.k8s.api.core.v1.Pod');
    expect(pod?.description).toBe('Containers that run together on one node.');
    expect(pod?.properties?.['kind']?.description).toBe('The kind of object that this is.');
    expect(pod?.properties?.['spec']).toMatchObject({ description: 'What should run.', allOf: [{}] });
  });
});

it('an unknown name has no component', () => {
  expect(builtInComponent('io.k8s.api.core.v1.Nothing')).toBeUndefined();
  expect(builtInComponent('constructor')).toBeUndefined();
});
