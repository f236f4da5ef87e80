import { interPodAffinity } from '../filters/inter-pod-affinity.ts';
import { nodeAffinity } from '../filters/node-affinity.ts';
import { nodeName } from '../filters/node-name.ts';
import { nodePorts } from '../filters/node-ports.ts';
import { nodeResourcesFit } from '../filters/node-resources-fit.ts';
import { nodeUnschedulable } from '../filters/node-unschedulable.ts';
import { nodeVolumeLimits } from '../filters/node-volume-limits.ts';
import { podTopologySpread } from '../filters/pod-topology-spread.ts';
import { taintToleration } from '../filters/taint-toleration.ts';
import { volumeBinding } from '../filters/volume-binding.ts';
import { volumeRestrictions } from '../filters/volume-restrictions.ts';
import { volumeZone } from '../filters/volume-zone.ts';
import type { Filter } from '../framework/filter.ts';
import type { Profile } from '../framework/profile.ts';
import type { Score } from '../framework/score.ts';
import { balancedAllocationScore } from '../scores/balanced-allocation.ts';
import { imageLocalityScore } from '../scores/image-locality.ts';
import { interPodAffinityScore } from '../scores/inter-pod-affinity.ts';
import { nodeAffinityScore } from '../scores/node-affinity.ts';
import { nodeResourcesFitScore } from '../scores/node-resources-fit.ts';
import { podTopologySpreadScore } from '../scores/pod-topology-spread.ts';
import { taintTolerationScore } from '../scores/taint-toleration.ts';
import { DEFAULT_ARGS, type PluginArgs } from './plugin-args.ts';
import { FILTERS, type PluginChoice, SCORE_WEIGHTS } from './plugin-sets.ts';

export const DEFAULT_SCHEDULER = 'default-scheduler';
const EVERYTHING: PluginChoice = { filters: new Set(FILTERS), scores: SCORE_WEIGHTS, preemption: true };

export interface ProfileSettings {
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly choice?: PluginChoice;
  readonly args?: PluginArgs;
}

/** Builds a profile. Without settings it is the default profile of kube-scheduler. */
export function buildProfile(settings: ProfileSettings = {}): Profile {
  const { choice = EVERYTHING, args = DEFAULT_ARGS } = settings;
  // The order is that of kube-scheduler: if several plugins reject a node, the first one gives the reason.
  const filters: readonly Filter[] = [
    nodeUnschedulable,
    nodeName,
    taintToleration,
    nodeAffinity,
    nodePorts,
    nodeResourcesFit(args.fit),
    volumeRestrictions,
    nodeVolumeLimits,
    volumeBinding,
    volumeZone,
    podTopologySpread(args.spread),
    interPodAffinity,
  ];
  const scores: readonly Score[] = [
    taintTolerationScore,
    nodeAffinityScore,
    nodeResourcesFitScore(args.fit.scoringStrategy),
    podTopologySpreadScore(args.spread),
    interPodAffinityScore(args.affinity),
    balancedAllocationScore(args.balanced),
    imageLocalityScore,
  ];
  return {
    schedulerName: settings.schedulerName ?? DEFAULT_SCHEDULER,
    filters: filters.filter(({ name }) => choice.filters.has(name)),
    scores: scores.flatMap((score) => {
      const weight = choice.scores.get(score.name);
      return weight === undefined ? [] : [{ score, weight }];
    }),
    percentageOfNodesToScore: settings.percentageOfNodesToScore ?? 0,
    preemption: choice.preemption ? args.preemption : undefined,
  };
}
