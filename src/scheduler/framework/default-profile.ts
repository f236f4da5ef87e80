import { interPodAffinity } from '../filters/inter-pod-affinity.ts';
import { nodeAffinity } from '../filters/node-affinity.ts';
import { nodeName } from '../filters/node-name.ts';
import { nodePorts } from '../filters/node-ports.ts';
import { nodeResourcesFit } from '../filters/node-resources-fit.ts';
import { nodeUnschedulable } from '../filters/node-unschedulable.ts';
import { podTopologySpread } from '../filters/pod-topology-spread.ts';
import { taintToleration } from '../filters/taint-toleration.ts';
import { balancedAllocationScore } from '../scores/balanced-allocation.ts';
import { imageLocalityScore } from '../scores/image-locality.ts';
import { interPodAffinityScore } from '../scores/inter-pod-affinity.ts';
import { nodeAffinityScore } from '../scores/node-affinity.ts';
import { nodeResourcesFitScore } from '../scores/node-resources-fit.ts';
import { podTopologySpreadScore } from '../scores/pod-topology-spread.ts';
import { taintTolerationScore } from '../scores/taint-toleration.ts';
import { BUILT_IN_SPREAD } from '../spread/spread-defaults.ts';
import type { Profile } from './profile.ts';

export const DEFAULT_SCHEDULER = 'default-scheduler';

/** As kube-scheduler places pods where nothing else is configured. */
export function defaultProfile(schedulerName = DEFAULT_SCHEDULER): Profile {
  return {
    schedulerName,
    filters: [
      nodeUnschedulable,
      nodeName,
      taintToleration,
      nodeAffinity,
      nodePorts,
      nodeResourcesFit(),
      podTopologySpread(BUILT_IN_SPREAD),
      interPodAffinity,
    ],
    scores: [
      { score: taintTolerationScore, weight: 3 },
      { score: nodeAffinityScore, weight: 2 },
      { score: nodeResourcesFitScore(), weight: 1 },
      { score: podTopologySpreadScore(BUILT_IN_SPREAD), weight: 2 },
      { score: interPodAffinityScore(), weight: 2 },
      { score: balancedAllocationScore(), weight: 1 },
      { score: imageLocalityScore, weight: 1 },
    ],
    percentageOfNodesToScore: 0,
    preemption: { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 },
  };
}
