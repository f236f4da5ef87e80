import { choice, integer, list, map, object, requiredField, string } from './schema.ts';

/** Placement of a VM, in the vocabulary of Kubernetes pods. Every group shares these schemas. */

const values = list('Values to compare with; empty for Exists and DoesNotExist.', string('A value.'));

const nodeRequirement = object('One requirement on node labels.', {
  key: requiredField(string('The label key.')),
  operator: requiredField(choice('How the label is compared.', ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'])),
  values,
});

const nodeTerm = object(
  'Requirements on a node that must all hold.',
  {
    matchExpressions: list('Requirements on node labels.', nodeRequirement),
    matchFields: list('Requirements on node fields (metadata.name).', nodeRequirement),
  },
  { mapType: 'atomic' },
);

export const labelSelector = object(
  'Selects objects by their labels; empty selects all.',
  {
    matchLabels: map('Labels that must have exactly these values.', string('A label value.')),
    matchExpressions: list(
      'Requirements on labels that must all hold.',
      object('One requirement on labels.', {
        key: requiredField(string('The label key.')),
        operator: requiredField(choice('How the label is compared.', ['In', 'NotIn', 'Exists', 'DoesNotExist'])),
        values,
      }),
    ),
  },
  { mapType: 'atomic' },
);

const keys = (description: string) => list(description, string('A label key.'));

/** Kubernetes requires `topologyKey`. A group that fills it in itself passes its default. */
const podTermFields = {
  labelSelector,
  matchLabelKeys: keys("Label keys whose values are taken from the VM's own pod and must match."),
  mismatchLabelKeys: keys("Label keys whose values are taken from the VM's own pod and must differ."),
  namespaceSelector: labelSelector,
  namespaces: list("Namespaces to search; empty means the VM's own namespace.", string('A namespace.')),
};
const topologyKeyText = 'Node label that defines the topology domains.';
const podTerm = object('Pods to be placed near, or away from.', {
  ...podTermFields,
  topologyKey: requiredField(string(topologyKeyText)),
});
const podTermOnHosts = object('Pods to be placed near, or away from.', {
  ...podTermFields,
  topologyKey: string(topologyKeyText, { default: 'kubernetes.io/hostname' }),
});

const weight = requiredField(integer('Weight of this preference.', { format: 'int32', minimum: 1, maximum: 100 }));

function affinityOf<T extends typeof podTerm | typeof podTermOnHosts>(term: T) {
  const podRules = (description: string) =>
    object(description, {
      requiredDuringSchedulingIgnoredDuringExecution: list('Terms that must all hold for a node to be chosen.', term),
      preferredDuringSchedulingIgnoredDuringExecution: list(
        'Terms that add to the score of a node.',
        object('A weighted term.', { weight, podAffinityTerm: requiredField(term) }),
      ),
    });
  return object('Nodes and pods that the VM is attracted to or repelled from.', {
    nodeAffinity: object('Nodes that are required or preferred.', {
      requiredDuringSchedulingIgnoredDuringExecution: object(
        'Nodes that the VM is allowed to run on.',
        { nodeSelectorTerms: requiredField(list('Terms of which one must hold.', nodeTerm)) },
        { mapType: 'atomic' },
      ),
      preferredDuringSchedulingIgnoredDuringExecution: list(
        'Nodes that are scored higher.',
        object('A weighted node term.', { weight, preference: requiredField(nodeTerm) }),
      ),
    }),
    podAffinity: podRules('Pods that the VM is placed near.'),
    podAntiAffinity: podRules('Pods that the VM is placed away from.'),
  });
}

export const affinity = affinityOf(podTerm);

/** Like `affinity`, but a pod term without a topologyKey means the same host. */
export const affinityOnHosts = affinityOf(podTermOnHosts);

export const nodeSelector = map('Labels that a node must have.', string('A label value.'));

export const tolerations = list(
  'Taints of nodes that the VM tolerates.',
  object('Tolerates the taints that match key, value and effect.', {
    key: string('Taint key; empty with operator Exists matches all.'),
    operator: choice('How the value is compared. Defaults to Equal.', ['Exists', 'Equal', 'Gt', 'Lt']),
    value: string('Taint value.'),
    effect: choice('Effect to tolerate; empty means all.', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
    tolerationSeconds: integer('How long a NoExecute taint is tolerated.', { format: 'int64' }),
  }),
);

export const topologySpreadConstraints = list(
  'How VMs that match a selector are spread over the cluster.',
  object('One constraint on the spread.', {
    maxSkew: requiredField(integer('Maximum difference between topology domains.', { format: 'int32', minimum: 1 })),
    topologyKey: requiredField(string(topologyKeyText)),
    whenUnsatisfiable: requiredField(
      choice('What to do if the constraint cannot be satisfied.', ['DoNotSchedule', 'ScheduleAnyway']),
    ),
    labelSelector,
    matchLabelKeys: keys("Label keys whose values are taken from the VM's own pod."),
    minDomains: integer('Minimum number of topology domains.', { format: 'int32', minimum: 1 }),
    nodeAffinityPolicy: choice('Whether nodes outside the affinity count.', ['Honor', 'Ignore']),
    nodeTaintsPolicy: choice('Whether tainted nodes count.', ['Honor', 'Ignore']),
  }),
  { keys: ['topologyKey', 'whenUnsatisfiable'] },
);
