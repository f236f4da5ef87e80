import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import { ipNameProblems } from './ip-text.ts';

/** Returns the problems of a name that only has to be a valid path segment. */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`);
}

export type NameProblems = (name: string) => string[];

/** Resources whose names are not DNS subdomains. */
const RULES: Readonly<Record<string, NameProblems>> = {
  'namespaces.': dns1123LabelProblems,
  'services.': dns1123LabelProblems,
  'statefulsets.apps': dns1123LabelProblems,
  'replicationcontrollers.': (name) =>
    dns1123SubdomainProblems(name).map((problem) => problem.replace('253 characters', '253 bytes')),
  'events.': pathSegmentProblems,
  'poddisruptionbudgets.policy': pathSegmentProblems,
  'roles.rbac.authorization.k8s.io': pathSegmentProblems,
  'clusterroles.rbac.authorization.k8s.io': pathSegmentProblems,
  'rolebindings.rbac.authorization.k8s.io': pathSegmentProblems,
  'clusterrolebindings.rbac.authorization.k8s.io': pathSegmentProblems,
  'apiservices.apiregistration.k8s.io': pathSegmentProblems,
  'certificatesigningrequests.certificates.k8s.io': pathSegmentProblems,
  'ipaddresses.networking.k8s.io': ipNameProblems,
};

/** Returns the name validation of a resource. */
export function nameProblems(group: string, plural: string): NameProblems {
  return RULES[`${plural}.${group}`] ?? dns1123SubdomainProblems;
}
