import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import recorded from './names.data.json' with { type: 'json' };
import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from './names.ts';

describe('name rules', () => {
  // The table was recorded from k8s.io/apimachinery v0.36.3.
  test.each(recorded)('$in gets the same message as from Kubernetes', (row) => {
    expect(dns1123LabelProblems(row.in)).toEqual(row.label);
    expect(dns1123SubdomainProblems(row.in)).toEqual(row.subdomain);
    expect(dns1035LabelProblems(row.in)).toEqual(row.dns1035);
    expect(qualifiedNameProblems(row.in)).toEqual(row.key);
    expect(labelValueProblems(row.in)).toEqual(row.value);
  });

  test('are tested with valid and invalid names for every rule', () => {
    for (const rule of ['label', 'subdomain', 'dns1035', 'key', 'value'] as const) {
      expect(recorded.some((row) => row[rule].length === 0)).toBe(true);
      expect(recorded.some((row) => row[rule].length > 0)).toBe(true);
    }
  });

  const label = fc.stringMatching(/^[a-z]([-a-z0-9]{0,20}[a-z0-9])?$/);

  test('are ordered: a DNS-1035 label is a DNS-1123 label, a subdomain and, if short, a label value', () => {
    fc.assert(
      fc.property(label, (name) => {
        expect(dns1035LabelProblems(name)).toEqual([]);
        expect(dns1123LabelProblems(name)).toEqual([]);
        expect(dns1123SubdomainProblems(name)).toEqual([]);
        expect(labelValueProblems(name)).toEqual([]);
      }),
    );
  });

  test('accept valid labels joined by dots as a subdomain, and before a slash as a prefix', () => {
    fc.assert(
      fc.property(fc.array(label, { minLength: 2, maxLength: 8 }), (labels) => {
        const name = labels.join('.');
        expect(dns1123SubdomainProblems(name)).toEqual([]);
        expect(dns1123LabelProblems(name)).toContain('must not contain dots');
        expect(qualifiedNameProblems(`${name}/x`)).toEqual([]);
      }),
    );
  });
});
