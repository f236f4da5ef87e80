import { virtualMachine } from '../../api/novacron/virtual-machine.ts';
import { type FieldError, tooLong } from '../../base/field-error.ts';
import type { Admitter } from '../admitter.ts';
import { changesSpec } from '../changes-spec.ts';
import { checkCountOrPercent } from './count-or-percent.ts';
import { checkTemplate, templateWarnings } from './machine-template.ts';
import { networkFinder } from './network-finder.ts';
import { checkSchedule } from './schedule.ts';

/** The machine's name is the value of a label on its pod. */
const MAX_NAME = 63;

export const virtualMachineAdmitter: Admitter<typeof virtualMachine> = {
  kind: virtualMachine,
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { operation, object } = request;
    const { metadata, spec } = object;
    const find = networkFinder(request);
    return {
      causes: [
        ...(operation === 'CREATE' ? checkName(metadata.name) : []),
        ...checkTemplate('spec.template', spec.template, { image: 'required', find }),
        ...checkSchedule('spec.snapshotPolicy.schedule', spec.snapshotPolicy?.schedule),
        ...checkCountOrPercent(
          'spec.updateStrategy.rollingUpdate.maxUnavailable',
          spec.updateStrategy.rollingUpdate?.maxUnavailable,
        ),
      ],
      warnings: templateWarnings('spec.template', spec.template),
    };
  },
};

function checkName(name = ''): FieldError[] {
  return name.length > MAX_NAME ? [tooLong('metadata.name', MAX_NAME)] : [];
}
