import type { Partially } from '#api/hypersdk/partial';
import type { VirtualMachine } from '#api/novacron/virtual-machine';
import { append } from '#platform/base/append';
import { type FieldError, index, invalid, required } from '#platform/base/field-error';
import { tryParseQuantity } from '#platform/base/quantity';
import { positiveBytes } from '#vm/admission/amounts';
import { annotations, label, labels, subdomain } from '#vm/admission/names';
import { checkOwnLabels } from '#vm/admission/own-labels';
import { checkAffinity, checkTolerations } from '#vm/admission/placement';
import { checkImageSource } from './image-source.ts';
import { checkInterfaces, type FindNetwork } from './interfaces.ts';
import { checkUserData, userDataWarnings } from './user-data.ts';

/** A template as it comes: rules of the schema demand some of its fields, and have not been heard yet. */
export type VmTemplate = Partially<VirtualMachine['spec']['template']>;
type Spec = NonNullable<VmTemplate['spec']>;
type Volume = NonNullable<Spec['volumes']>[number];
type Hook = NonNullable<NonNullable<Spec['lifecycle']>['preStart']>;

const CPU = 'CPU must be at least 1';
const MEMORY = 'Memory must be at least 512Mi';
const MIN_MEMORY = 512n * 1024n * 1024n * 1_000_000_000n;

interface Options {
  readonly image: 'required' | 'optional';
  readonly find: FindNetwork;
  /** As it stands already, where it does. */
  readonly before: VmTemplate | undefined;
}

/** Checks what a machine is made of; the words for size and image are those of the rules in the schema. */
export function checkTemplate(field: string, template: VmTemplate | undefined, options: Options): FieldError[] {
  const spec = template?.spec ?? {};
  const at = `${field}.spec`;
  return [
    ...labels(`${field}.metadata.labels`, template?.metadata?.labels),
    ...checkOwnLabels(`${field}.metadata.labels`, template?.metadata?.labels, options.before?.metadata?.labels),
    ...annotations(`${field}.metadata.annotations`, template?.metadata?.annotations),
    ...checkResources(`${at}.resources`, spec.resources ?? {}),
    ...checkImage(`${at}.image`, spec.image, options.image),
    ...checkInterfaces(`${at}.networks`, spec.networks, options.find),
    ...checkVolumes(`${at}.volumes`, spec.volumes),
    ...checkUserData(`${at}.userData`, spec.userData),
    ...labels(`${at}.nodeSelector`, spec.nodeSelector),
    ...checkAffinity(`${at}.affinity`, spec.affinity),
    ...checkTolerations(`${at}.tolerations`, spec.tolerations),
    ...checkHook(`${at}.lifecycle.preStart`, spec.lifecycle?.preStart),
    ...checkHook(`${at}.lifecycle.preStop`, spec.lifecycle?.preStop),
  ];
}

export function templateWarnings(field: string, template: VmTemplate | undefined): string[] {
  return userDataWarnings(`${field}.spec.userData`, template?.spec?.userData);
}

function checkResources(field: string, { cpu, memory, disk }: NonNullable<Spec['resources']>): FieldError[] {
  return [
    ...checkCpu(`${field}.cpu`, cpu),
    ...checkMemory(`${field}.memory`, memory),
    ...positiveBytes(`${field}.disk`, disk),
  ];
}

function checkCpu(field: string, cpu: number | undefined): FieldError[] {
  if (cpu === undefined) return [required(field, CPU)];
  return cpu < 1 ? [invalid(field, cpu, CPU)] : [];
}

function checkMemory(field: string, memory: string | number | undefined): FieldError[] {
  if (memory === undefined) return [required(field, MEMORY)];
  const amount = tryParseQuantity(memory);
  return amount === undefined || amount.nano < MIN_MEMORY
    ? [invalid(field, memory, MEMORY)]
    : positiveBytes(field, memory);
}

function checkImage(field: string, image: Spec['image'], presence: Options['image']): FieldError[] {
  if (image === undefined && presence === 'optional') return [];
  const source = image?.source ?? '';
  return source === ''
    ? [required(`${field}.source`, 'Image source is required')]
    : checkImageSource(`${field}.source`, source);
}

function checkVolumes(field: string, volumes: readonly Volume[] = []): FieldError[] {
  const causes: FieldError[] = [];
  for (let i = 0; i < volumes.length; i++) append(causes, checkVolume(index(field, i), volumes[i] as Volume));
  return causes;
}

function checkVolume(field: string, { name, size, storageClass }: Volume): FieldError[] {
  return [
    ...label(`${field}.name`, name),
    ...positiveBytes(`${field}.size`, size),
    ...subdomain(`${field}.storageClass`, storageClass),
  ];
}

function checkHook(field: string, hook: Hook = {}): FieldError[] {
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
