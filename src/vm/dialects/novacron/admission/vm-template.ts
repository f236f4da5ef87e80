import type { Partially } from '#api/hypersdk/partial';
import type { VirtualMachine } from '#api/novacron/virtual-machine';
import { append } from '#platform/base/append';
import { type FieldError, index, invalid, required } from '#platform/base/field-error';
import { tryParseQuantity } from '#platform/base/quantity';
import { plausibleBytes, positiveQuantity } from '#vm/admission/amounts';
import { annotations, label, labels, subdomain } from '#vm/admission/names';
import { validateOwnLabels } from '#vm/admission/own-labels';
import { validateAffinity, validateTolerations } from '#vm/admission/placement';
import { validateImageSource } from './image-source.ts';
import { type FindNetwork, validateInterfaces } from './interfaces.ts';
import { userDataWarnings, validateUserData } from './user-data.ts';

/** Template before the schema rules have run, so that required fields may be missing. */
export type VmTemplate = Partially<VirtualMachine['spec']['template']>;
type Spec = NonNullable<VmTemplate['spec']>;
type Volume = NonNullable<Spec['volumes']>[number];
type Hook = NonNullable<NonNullable<Spec['lifecycle']>['preStart']>;

const CPU = 'CPU must be at least 1';
const MEMORY = 'Memory must be at least 512Mi';
const MIN_MEMORY = 512n * 1024n * 1024n * 1_000_000_000n;

export interface TemplateOptions {
  readonly image: 'required' | 'optional';
  readonly find: FindNetwork;
  /** Stored template, if there is one. */
  readonly before: VmTemplate | undefined;
}

/** Validates the template of a VM. Messages about size and image match those of the schema rules. */
export function validateTemplate(
  field: string,
  template: VmTemplate | undefined,
  options: TemplateOptions,
): FieldError[] {
  const spec = template?.spec ?? {};
  const at = `${field}.spec`;
  return [
    ...labels(`${field}.metadata.labels`, template?.metadata?.labels),
    ...validateOwnLabels(`${field}.metadata.labels`, template?.metadata?.labels, options.before?.metadata?.labels),
    ...annotations(`${field}.metadata.annotations`, template?.metadata?.annotations),
    ...validateResources(`${at}.resources`, spec.resources ?? {}),
    ...validateImage(`${at}.image`, spec.image, options.image),
    ...validateInterfaces(`${at}.networks`, spec.networks, options.find),
    ...validateVolumes(`${at}.volumes`, spec.volumes),
    ...validateUserData(`${at}.userData`, spec.userData),
    ...labels(`${at}.nodeSelector`, spec.nodeSelector),
    ...validateAffinity(`${at}.affinity`, spec.affinity),
    ...validateTolerations(`${at}.tolerations`, spec.tolerations),
    ...validateHook(`${at}.lifecycle.preStart`, spec.lifecycle?.preStart),
    ...validateHook(`${at}.lifecycle.preStop`, spec.lifecycle?.preStop),
  ];
}

export function templateWarnings(field: string, template: VmTemplate | undefined): string[] {
  return userDataWarnings(`${field}.spec.userData`, template?.spec?.userData);
}

function validateResources(field: string, { cpu, memory, disk }: NonNullable<Spec['resources']>): FieldError[] {
  return [
    ...validateCpu(`${field}.cpu`, cpu),
    ...validateMemory(`${field}.memory`, memory),
    ...plausibleBytes(`${field}.disk`, disk, 'disk'),
  ];
}

function validateCpu(field: string, cpu: number | undefined): FieldError[] {
  if (cpu === undefined) return [required(field, CPU)];
  return cpu < 1 ? [invalid(field, cpu, CPU)] : [];
}

function validateMemory(field: string, memory: string | number | undefined): FieldError[] {
  if (memory === undefined) return [required(field, MEMORY)];
  const amount = tryParseQuantity(memory);
  return amount === undefined || amount.nano < MIN_MEMORY
    ? [invalid(field, memory, MEMORY)]
    : positiveQuantity(field, memory);
}

function validateImage(field: string, image: Spec['image'], presence: TemplateOptions['image']): FieldError[] {
  if (image === undefined && presence === 'optional') return [];
  const source = image?.source ?? '';
  return source === ''
    ? [required(`${field}.source`, 'Image source is required')]
    : validateImageSource(`${field}.source`, source);
}

function validateVolumes(field: string, volumes: readonly Volume[] = []): FieldError[] {
  const causes: FieldError[] = [];
  for (let i = 0; i < volumes.length; i++) append(causes, validateVolume(index(field, i), volumes[i] as Volume));
  return causes;
}

function validateVolume(field: string, { name, size, storageClass }: Volume): FieldError[] {
  return [
    ...label(`${field}.name`, name),
    ...plausibleBytes(`${field}.size`, size, 'disk'),
    ...subdomain(`${field}.storageClass`, storageClass),
  ];
}

function validateHook(field: string, hook: Hook = {}): FieldError[] {
  const port = hook.httpGet?.port;
  if (port === undefined) return [];
  const sound =
    typeof port === 'number'
      ? port >= 1 && port <= 65_535
      : /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/.test(port);
  return sound
    ? []
    : [invalid(`${field}.httpGet.port`, port, 'must be a number from 1 to 65535 or the name of a port')];
}
