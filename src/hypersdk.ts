import { virtualMachine } from './api/hypersdk/virtual-machine.ts';
import { vmTemplate } from './api/hypersdk/vm-template.ts';
import type { Kind } from './api/kind.ts';
import { CARBON_RULES, type Carbon } from './carbon.ts';
import { templates } from './controllers/template/controller.ts';
import { templateGatherer } from './controllers/template/gatherer.ts';
import { TEMPLATE_RULES } from './controllers/template/rules.ts';
import type { PolicyRule } from './kube/kinds/rbac.ts';
import type { KubeObject } from './kube/kube-object.ts';
import type { Dialect } from './machine/dialect.ts';
import type { Gatherers } from './machine/gatherer.ts';
import type { Review } from './machine/review.ts';
import type { Controller } from './runtime/controller.ts';
import type { Runnable } from './runtime/runnable.ts';

/** Makes of a controller what can be run; its events come from this component. */
export type Running = <T extends KubeObject>(controller: Controller<T>, component: string) => Runnable;

/** Whether machines of hypersdk.io are looked after, and with them all that belongs to the group. */
export function isHypersdkOn(dialects: readonly Dialect[]): boolean {
  return dialects.some(({ kind }) => kind.group === virtualMachine.group);
}

/** What machines of hypersdk.io are measured by, beside their own words. */
export function hypersdkGatherers(carbon: Carbon | undefined): Gatherers {
  const heeding = carbon === undefined ? {} : { carbon: carbon.gatherer(templateGatherer.gather) };
  return { template: templateGatherer, ...heeding };
}

export interface HypersdkSettings {
  readonly review?: Review;
  readonly carbon: Carbon | undefined;
}

/** What is done for the group beside its machines. */
export function hypersdkControllers(run: Running, { carbon, ...reviewing }: HypersdkSettings): Runnable[] {
  return [run(templates(reviewing), 'vmtemplate-controller'), ...(carbon === undefined ? [] : [carbon.runnable])];
}

/** What that takes. */
export const HYPERSDK_RULES: readonly PolicyRule[] = [...TEMPLATE_RULES, ...CARBON_RULES];

/** The kinds of the group, beside its machines, that something acts on. */
export const HYPERSDK_KINDS: readonly Kind[] = [vmTemplate];
