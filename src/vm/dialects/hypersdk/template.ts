import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { templateDenial, templateKey } from '#api/hypersdk/template-use';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { VMTemplate } from '#api/hypersdk/vm-template';
import { compare, tryParseQuantity } from '#platform/base/quantity';
import type { Problem } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';

type Spec = VirtualMachine['spec'];

/** VM with the values that its template provides. */
interface Templated {
  readonly spec: Spec;
  /** Identifies the template and its version, if there is one. */
  readonly basis?: string;
  /** Reason why no VM can be created from it yet. */
  readonly blocked?: Problem;
}

export function withTemplate(vm: VirtualMachine, found: VmDependencies['template']): Templated {
  const template = found as VMTemplate | 'missing' | 'withheld' | undefined;
  const name = templateKey(vm);
  if (name === undefined || template === undefined) return { spec: vm.spec };
  if (template === 'missing') {
    const message = `VMTemplate ${name} not found, waiting`;
    return { spec: vm.spec, blocked: { reason: 'NotFound', message } };
  }
  if (template === 'withheld') {
    return { spec: vm.spec, blocked: { reason: 'Forbidden', message: templateDenial(vm.metadata.namespace, name) } };
  }
  const spec = withTemplateDefaults(vm.spec, template.spec);
  const { uid, generation } = template.metadata;
  const basis = `${name}@${template.spec.version} ${uid}.${generation}`;
  const blocked = unfit(template) ?? (isSetUp(vm) ? undefined : (withoutImage(template) ?? tooSmall(spec, template)));
  return { spec, basis, ...(blocked === undefined ? {} : { blocked }) };
}

/** A VM that has its disks no longer needs an image. */
const isSetUp = ({ status }: VirtualMachine) => status?.startTime !== undefined;

function unfit(template: VMTemplate): Problem | undefined {
  const why = refusal(template, 'Valid');
  return why === undefined
    ? undefined
    : { reason: 'TemplateInvalid', message: `${titleOf(template)} is not valid: ${why}` };
}

function withoutImage(template: VMTemplate): Problem | undefined {
  const why = refusal(template, 'ImageAccessible');
  return why === undefined
    ? undefined
    : { reason: 'ImageNotAccessible', message: `the image of ${titleOf(template)} is not accessible: ${why}` };
}

/** Returns what a condition reports against a template, if it applies to the current generation. */
function refusal({ status, metadata }: VMTemplate, type: string): string | undefined {
  if (status?.observedGeneration !== metadata.generation) return undefined;
  const found = status?.conditions?.find((each) => each.type === type);
  return found?.status === 'False' ? (found.message ?? found.reason ?? '') : undefined;
}

const titleOf = ({ metadata }: VMTemplate) => `VMTemplate ${metadata.namespace}/${metadata.name}`;

/** Returns the problem of a first disk that is too small for the image. */
function tooSmall({ disks = [] }: Spec, template: VMTemplate): Problem | undefined {
  const [first] = disks.toSorted((a, b) => orderOf(a) - orderOf(b));
  const size = tryParseQuantity(first?.size ?? '');
  const needed = tryParseQuantity(template.spec.image.size ?? '');
  if (first === undefined || first.source !== undefined || size === undefined || needed === undefined) return undefined;
  if (compare(size, needed) >= 0) return undefined;
  const message = `the image of ${titleOf(template)} requires ${template.spec.image.size}, but disk ${first.name} has ${first.size}: increase its size in spec.disks`;
  return { reason: 'DiskTooSmall', message };
}

const orderOf = ({ bootOrder = Number.POSITIVE_INFINITY }: { readonly bootOrder?: number }) =>
  Math.min(bootOrder, Number.MAX_SAFE_INTEGER);
