import { map, object, quantity, requiredField, string } from '#platform/schema/schema';

/** Size of a simulated VM in either of its two forms. */
export const simulationResources = object(
  'Size of the VM. Memory without a suffix selects the ratio form: both values are fractions of one node ("0.15"). Memory with a suffix selects the absolute form: CPUs and bytes ("4" and 8Gi).',
  {
    cpu: requiredField(quantity('CPU: a fraction of one node, which may exceed 1, or a number of CPUs.')),
    memory: requiredField(quantity('Memory: a fraction of one node from 0 to 1, or bytes with a suffix such as Gi.')),
  },
);

/** Utilization of a simulated VM of the absolute form. */
export const utilization = object('Utilization of the VM; only with the absolute form of resources.', {
  cpu: quantity(
    'CPU utilization as a fraction of its CPUs, from "0". More than 1 means that it demands more than it has. Defaults to 1.',
  ),
  memory: quantity('Memory utilization as a fraction of its memory, from "0" to "1". Defaults to 1.'),
});

export const labels = (whose: string) => map(`Labels of ${whose}.`, string('A label value.'), { maxProperties: 64 });

/**
 * Reports whether a size has the ratio form: memory as a bare number is a fraction of a node, and with a suffix it is
 * bytes.
 */
export function isRatio(memory: string | number): boolean {
  return typeof memory === 'number' || /^[+-]?[0-9.]+([eE][+-]?[0-9]+)?$/.test(memory);
}
