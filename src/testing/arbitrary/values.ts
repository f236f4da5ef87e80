import fc from 'fast-check';
import type { Field } from './field-hints.ts';

/** Values and near misses for fields that several kinds have. */

export const labelText = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,10}[a-z0-9])?$/);
const subdomainText = fc.array(labelText, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
const NOT_A_NAME = ['Upper-Case', 'under_score', '-dash', 'dash-', 'two words', 'ümlaut', 'a'.repeat(300)];

export const label: Field = { good: labelText, bad: [...NOT_A_NAME, 'dot.ted', 'a'.repeat(64)] };
export const subdomain: Field = { good: subdomainText, bad: [...NOT_A_NAME, 'a..b', '.a'] };

const qualifiedText = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,10}[A-Za-z0-9])?$/),
  fc.tuple(subdomainText, labelText).map((parts) => parts.join('/')),
);
export const qualifiedName: Field = { good: qualifiedText, bad: ['a/b/c', '/a', 'a/', 'two words', '-a'] };

export const labelValueText = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,10}[A-Za-z0-9])?$/),
);
export const labelValue: Field = { good: labelValueText, bad: ['two words', '-a', 'a'.repeat(64)] };
/** Excludes the label by which VMs are found. */
export const labels: Field = {
  good: fc.dictionary(
    qualifiedText.filter((name) => name !== 'vm'),
    labelValueText,
    { maxKeys: 3 },
  ),
};
export const annotations: Field = { good: fc.dictionary(qualifiedText, fc.string(), { maxKeys: 3 }) };

const NOT_AN_AMOUNT = ['', 'much', '-1', '0', '0Gi', '1 Gi', '1e', '1gi', 0, -5];
const amountText = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom('', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', '.5Gi'))
  .map((parts) => parts.join(''));
/** Quantity above zero. */
export const amount: Field = { good: fc.oneof(amountText, fc.integer({ min: 1, max: 2 ** 40 })), bad: NOT_AN_AMOUNT };
const byteText = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom('M', 'Mi', 'Gi', 'Ti', 'e6', '.5Gi'))
  .map((parts) => parts.join(''));
/** Quantity of at least a megabyte. */
export const bytes: Field = {
  good: fc.oneof(byteText, fc.integer({ min: 1_000_000, max: 2 ** 40 })),
  bad: [...NOT_AN_AMOUNT, '999m', '999k', 8, '8Ei'],
};
export const gibibytes = fc.integer({ min: 1, max: 64 }).map((size) => `${size}Gi`);

export const durationText = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom('ms', 's', 'm', 'h', 'd', 'w', '.5s', 'h30m'))
  .map((parts) => parts.join(''));
/** Duration above zero. */
export const duration: Field = { good: durationText, bad: ['', 'soon', '-1s', '0s', '1', '1 s', '1y'] };

const macText = fc
  .tuple(
    fc.constantFrom('02', '52', 'fe', 'A6'),
    fc.array(fc.stringMatching(/^[0-9a-fA-F]{2}$/), { minLength: 5, maxLength: 5 }),
    fc.constantFrom(':', '-'),
  )
  .map(([first, rest, separator]) => [first, ...rest].join(separator));
export const mac: Field = {
  good: macText,
  bad: ['', '02:00:00', '02:00:00:12:34:5g', '01:00:5e:00:00:01', '02:00-00:12-34:56', '020000123456'],
};

export const cron: Field = {
  good: fc.oneof(
    fc.constantFrom('*/15 * * * *', '@daily', '0 0 1 1 *', '5,35 8-17 * * mon-fri'),
    fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 23 })).map(([m, h]) => `${m} ${h} * * *`),
  ),
  bad: ['daily', '* * * *', '60 * * * *', '* * * * * *', '0 0 32 * *', '@never'],
};

export const urlText = fc
  .tuple(fc.constantFrom('http', 'https'), subdomainText, fc.stringMatching(/^[a-z0-9._-]{1,8}$/))
  .map(([scheme, host, path]) => `${scheme}://${host}.example.org/${path}x`);
export const s3Text = fc.tuple(labelText, labelText).map(([bucket, key]) => `s3://bu${bucket}ket/${key}`);
export const containerImageText = fc
  .tuple(fc.constantFrom('', 'registry.example.com/', 'localhost:5000/'), labelText, fc.constantFrom('', ':1.0', ':v2'))
  .map(([registry, name, tag]) => `${registry}team/${name.replaceAll('-', '')}${tag}`);

export const uuid: Field = { good: fc.uuid(), bad: ['', '123', 'zzzzzzzz-b3ef-428c-8861-06e72d69f223'] };
