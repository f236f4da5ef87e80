import { isRatio } from '#api/simulation/resources';
import { type FieldError, forbidden, invalid } from '#platform/base/field-error';
import { type Quantity, tryParseQuantity } from '#platform/base/quantity';

type ResourceInput = string | number;
interface Size {
  readonly cpu: ResourceInput;
  readonly memory: ResourceInput;
}
interface Use {
  readonly cpu?: ResourceInput;
  readonly memory?: ResourceInput;
}

const ONE = 1_000_000_000n;
const MEBIBYTE = 1_048_576n * ONE;

/** Validates the size of a VM in either form, and that the forms are not mixed. */
export function validateResources(field: string, { cpu, memory }: Size): FieldError[] {
  return isRatio(memory) ? validateRatios(field, { cpu, memory }) : validateAmounts(field, { cpu, memory });
}

function validateRatios(field: string, { cpu, memory }: Size): FieldError[] {
  return [
    ...(isRatio(cpu)
      ? validateAmount(`${field}.cpu`, cpu, ({ nano }) => nano >= 0n, 'must be a fraction of one node, 0 or more')
      : [
          invalid(
            `${field}.cpu`,
            cpu,
            'must be a fraction of one node such as 0.15, like memory; to use an absolute amount of CPU, give memory a suffix',
          ),
        ]),
    ...validateAmount(
      `${field}.memory`,
      memory,
      isShare,
      'must be a fraction of one node from 0 to 1; an absolute amount has a suffix, such as 8Gi',
    ),
  ];
}

function validateAmounts(field: string, { cpu, memory }: Size): FieldError[] {
  return [
    ...validateAmount(`${field}.cpu`, cpu, ({ nano }) => nano > 0n, 'must be greater than zero'),
    ...validateAmount(`${field}.memory`, memory, ({ nano }) => nano >= MEBIBYTE, 'must be at least 1Mi'),
  ];
}

/** Validates the utilization of a VM, which the ratio form already defines by its size. */
export function validateUtilization(field: string, use: Use | undefined, { memory }: Size): FieldError[] {
  if (use === undefined) return [];
  if (isRatio(memory)) {
    return [
      forbidden(
        field,
        'is only allowed with resources in CPUs and bytes; a VM sized as a fraction of a node always uses that fraction',
      ),
    ];
  }
  return [
    ...validateAmount(`${field}.cpu`, use.cpu, ({ nano }) => nano >= 0n, 'must be 0 or more'),
    ...validateAmount(`${field}.memory`, use.memory, isShare, 'must be from 0 to 1'),
  ];
}

const isShare = ({ nano }: Quantity) => nano >= 0n && nano <= ONE;

/** Validates an optional number. */
function validateAmount(
  field: string,
  written: ResourceInput | undefined,
  fits: (amount: Quantity) => boolean,
  detail: string,
): FieldError[] {
  if (written === undefined) return [];
  const amount = tryParseQuantity(written);
  return amount !== undefined && fits(amount) ? [] : [invalid(field, written, detail)];
}
