import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParseError } from '#platform/base/errors';
import {
  everything,
  type LabelSelector,
  type LabelSelectorSpec,
  labelSelectorOf,
  labelSelectorOfSet,
  nothing,
  parseLabelSelector,
} from './label-selector.ts';
// Results of Kubernetes 1.36 for each selector: its text, and the label sets it matches.
import answers from './selectors.data.json' with { type: 'json' };

const labelSets = answers.labelSets as readonly Record<string, string>[];

function answerOf(read: () => LabelSelector) {
  try {
    const selector = read();
    const matches = labelSets.map((labels) => (selector.matches(labels) ? '1' : '0')).join('');
    return { canonical: selector.toString(), matches };
  } catch (error) {
    expect(error).toBeInstanceOf(ParseError);
    return { error: (error as Error).message };
  }
}

interface Answer {
  readonly error?: string;
  readonly canonical?: string;
  readonly matches?: string;
}
const desired = ({ error, canonical = '', matches }: Answer) =>
  error === undefined ? { canonical, matches } : { error };

describe('a label selector', () => {
  it.each(answers.labelSelectors)('is parsed as by Kubernetes: $text', (response) => {
    expect(answerOf(() => parseLabelSelector(response.text))).toEqual(desired(response));
  });

  it.each(answers.specs)('is parsed from the object $spec as by Kubernetes', (response) => {
    expect(answerOf(() => labelSelectorOf(response.spec as LabelSelectorSpec))).toEqual(desired(response));
  });

  it('matches nothing if absent and everything if empty', () => {
    expect(labelSelectorOf(undefined)).toBe(nothing);
    expect(nothing.matches({ a: 'b' })).toBe(false);
    expect(labelSelectorOf({})).toBe(everything);
    expect(everything.matches(undefined)).toBe(true);
  });

  it('does not mistake inherited properties for labels', () => {
    expect(parseLabelSelector('constructor').matches({})).toBe(false);
    expect(parseLabelSelector('!toString').matches({})).toBe(true);
    expect(parseLabelSelector('valueOf!=x').matches(undefined)).toBe(true);
  });

  it('compares integers beyond the precision of a double', () => {
    const selector = parseLabelSelector('a>9007199254740992');
    expect(selector.matches({ a: '9007199254740993' })).toBe(true);
    expect(selector.matches({ a: '9007199254740992' })).toBe(false);
  });
});

const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,6}[a-z0-9])?$/);
const value = fc.stringMatching(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,6}[A-Za-z0-9])?)?$/);
const labels = fc.dictionary(name, value, { maxKeys: 5 });
const expression = fc.oneof(
  fc.record({
    key: name,
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key: name, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const spec = fc.record({ matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 4 }) });

describe('any label selector', () => {
  it('is equivalent after it was formatted and parsed', () => {
    fc.assert(
      fc.property(spec, labels, (selector, set) => {
        const first = labelSelectorOf(selector);
        const again = parseLabelSelector(first.toString());
        expect(again.toString()).toBe(parseLabelSelector(again.toString()).toString());
        expect(again.matches(set)).toBe(first.matches(set));
      }),
    );
  });

  it('made of labels matches exactly the sets that contain them', () => {
    fc.assert(
      fc.property(labels, labels, (selected, set) => {
        expect(labelSelectorOfSet(selected).matches({ ...set, ...selected })).toBe(true);
        const contained = Object.entries(selected).every(([key, text]) => Object.hasOwn(set, key) && set[key] === text);
        expect(labelSelectorOfSet(selected).matches(set)).toBe(contained);
      }),
    );
  });

  it('and its negation never both match', () => {
    fc.assert(
      fc.property(name, value, labels, (key, text, set) => {
        expect(parseLabelSelector(`${key}=${text}`).matches(set)).not.toBe(
          parseLabelSelector(`${key}!=${text}`).matches(set),
        );
        expect(parseLabelSelector(key).matches(set)).not.toBe(parseLabelSelector(`!${key}`).matches(set));
      }),
    );
  });

  it('is parsed or rejected without an internal error, for any text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'in', 'notin', '=', '!', '(', ')', ',', '<', '>', ' ')), (parts) => {
        answerOf(() => parseLabelSelector(parts.join('')));
      }),
    );
  });
});
