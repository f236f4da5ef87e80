import { map, object, quantity, required, string } from '#platform/schema/schema';

/** Size of a simulated VM in either of its two forms. */
export const resources = object(
  'Size of the machine. A memory without a suffix means the ratio form: both values are shares of one node ("0.15"). A memory with a suffix means the absolute form: CPUs and bytes ("4" and 8Gi).',
  {
    cpu: required(quantity('CPU: a share of one node, which may exceed 1, or a number of CPUs.')),
    memory: required(quantity('Memory: a share of one node from 0 to 1, or bytes with a suffix such as Gi.')),
  },
);

/** Utilization of a simulated VM of the absolute form. */
export const utilization = object('How much of its size the machine uses; only with the absolute form of resources.', {
  cpu: quantity(
    'CPU in use as a share of its CPUs, from "0"; more than 1 means that it wants more than it has. Left out, 1.',
  ),
  memory: quantity('Memory in use as a share of its memory, from "0" to "1". Left out, 1.'),
});

export const labels = (whose: string) => map(`Labels of ${whose}.`, string('A label value.'), { maxProperties: 64 });

/**
 * Reports whether a size has the ratio form: memory as a bare number is a fraction of a node, and with a suffix it is
 * bytes.
 */
export function isRatio(memory: string | number): boolean {
  return typeof memory === 'number' || /^[+-]?[0-9.]+([eE][+-]?[0-9]+)?$/.test(memory);
}
