import { virtualMachine, virtualMachineInstance, virtualMachineInstanceMigration } from '#api/kubevirt/group';
import { type NewDefinition, openPlane, type Plane } from '#control-plane/apiserver/apiextensions/plane.fixture';
import { aggregatedRules } from '#control-plane/controllers/cluster-role-aggregation';
import { seededRandom } from '#platform/base/random';
import type { ApiExtension, ExtensionRequest } from '#platform/kube/api-extension';
import type { Client } from '#platform/kube/client';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, type PolicyRule } from '#platform/kube/kinds/rbac';
import { type EventRecorder, noopRecorder } from '#platform/runtime/events/event-recorder';
import { crdOf } from '#platform/schema/crd';
import { vmPlugins } from '#programs/embedded/vm-plugins';
import { kubevirt } from '#vm/dialects/kubevirt/dialect';
import type { GuestConnections } from '#vm/engine/subresources/connect-guest';
import { subresourceExtensions } from '#vm/engine/subresources/extension';
import { SUBRESOURCE_RULES } from '#vm/engine/subresources/rbac';
import { USER_ROLES } from '#vm/engine/subresources/roles';
import { startVmHarness, type VmHarness } from './vm-harness.ts';

const OPERATOR = { name: 'system:serviceaccount:vimana-system:vimana-operator', groups: ['system:authenticated'] };

/** Returns the subresources of kubevirt.io for a client that acts as the operator. */
function extensionsFor(client: Client, events: EventRecorder, guests?: GuestConnections): readonly ApiExtension[] {
  return subresourceExtensions({ client, dialects: [kubevirt], random: seededRandom('subresources'), events, guests });
}

async function grant(admin: Client, name: string, rules: readonly PolicyRule[], user: string): Promise<void> {
  await admin.create(CLUSTER_ROLES, { metadata: { name }, rules });
  await admin.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
  });
}

export interface SubresourcePlane extends Plane {
  /** Recorded events, as `name type reason: message`. */
  readonly told: string[];
  /** Called before the operator patches an object. */
  beforePatch: (kind: string) => Promise<void>;
}

/**
 * Starts an API server that serves the subresources for an operator without other permissions, and for the users view,
 * edit and admin.
 */
export async function startSubresourcePlane(guests?: GuestConnections): Promise<SubresourcePlane> {
  const reported: string[] = [];
  const events: EventRecorder = {
    event: ({ metadata }, type, reason, message) =>
      void reported.push(`${metadata.name} ${type} ${reason}: ${message}`),
  };
  const { opened, serve } = await openPlane({ insecure: false });
  const operator = opened.client(OPERATOR, 'operator');
  const patch: Client['patch'] = async (type, name, change, options) => {
    await made.beforePatch(type.kind);
    return await operator.patch(type, name, change, options);
  };
  const started = await serve({
    plugins: vmPlugins(),
    extensions: extensionsFor({ ...operator, patch }, events, guests),
  });
  const made: SubresourcePlane = { ...started, told: reported, beforePatch: async () => {} };
  for (const kind of [virtualMachine, virtualMachineInstance, virtualMachineInstanceMigration]) {
    await made.define(crdOf(kind) as unknown as NewDefinition);
  }
  const { client: admin } = made;
  await grant(admin, 'operator', SUBRESOURCE_RULES, OPERATOR.name);
  for (const role of USER_ROLES) await admin.create(CLUSTER_ROLES, role);
  for (const name of ['view', 'edit', 'admin']) {
    await grant(admin, `some-${name}`, aggregatedRules(await admin.get(CLUSTER_ROLES, name), USER_ROLES), name);
  }
  return made;
}

export interface SubresourceHarness extends VmHarness {
  /** Sends a PUT to `virtualmachines/web/start` and the like. */
  ask(what: string, body?: object): Promise<unknown>;
}

/** Starts a VM harness whose users can also call subresources. */
export async function startSubresourceHarness(): Promise<SubresourceHarness> {
  const harness = await startVmHarness();
  await grant(harness.admin, 'subresources', SUBRESOURCE_RULES, OPERATOR.name);
  const [extension] = extensionsFor(harness.operator, noopRecorder);
  return {
    ...harness,
    async ask(what, body = {}) {
      const [resource = '', name = '', subresource = ''] = what.split('/');
      const request = { resource, name, subresource, namespace: 'default', user: { name: 'alice', groups: [] } };
      const sent = async () => Buffer.from(JSON.stringify(body));
      return await extension?.handle({ ...request, body: sent } as unknown as ExtensionRequest);
    },
  };
}
